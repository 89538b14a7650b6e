import { useSearchParams } from 'react-router';
import { DocumentsTable } from '../features/documents/documents-table.tsx';
import { headIn } from '../features/history/past.ts';
import { PastDocuments } from '../features/history/past-view.tsx';
import { useLedger } from '../features/ledgers/ledger-context.ts';

/** .../ledgers/{ledgerId}/documents */
export function Component() {
  const { database, pages } = useLedger();
  const head = headIn(useSearchParams()[0]);
  return head === undefined ? (
    <DocumentsTable database={database} basePath={pages.docs} />
  ) : (
    <PastDocuments database={database} head={head} pages={pages} />
  );
}
