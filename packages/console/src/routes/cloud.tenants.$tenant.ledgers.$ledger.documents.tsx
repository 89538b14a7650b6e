import { useSearchParams } from 'react-router';
import { useCanWrite } from '../features/documents/can-write.ts';
import { DocumentsTable } from '../features/documents/documents-table.tsx';
import { headIn } from '../features/history/past.ts';
import { PastDocuments } from '../features/history/past-view.tsx';
import { useLedger } from '../features/ledgers/ledger-context.ts';
import { LedgerFirstSteps } from '../features/ledgers/ledger-first-steps.tsx';
import { useToSend } from '../features/ledgers/use-to-send.ts';

/** .../ledgers/{ledgerId}/documents */
export function Component() {
  const { database, attached, pages, tenantId, ledgerId, kind } = useLedger();
  const canWrite = useCanWrite();
  const toSend = useToSend(attached);
  const head = headIn(useSearchParams()[0]);
  return head === undefined ? (
    <DocumentsTable
      database={database}
      basePath={pages.docs}
      toSend={toSend}
      help={canWrite && <LedgerFirstSteps {...{ tenantId, ledgerId }} {...(kind && { kind })} />}
    />
  ) : (
    <PastDocuments database={database} head={head} pages={pages} />
  );
}
