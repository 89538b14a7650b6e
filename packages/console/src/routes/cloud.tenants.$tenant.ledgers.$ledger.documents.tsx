import { DocumentsTable } from '../features/documents/documents-table.tsx';
import { useLedger } from '../features/ledgers/ledger-context.ts';

/** .../ledgers/{ledgerId}/documents */
export function Component() {
  const { database, documentsPath } = useLedger();
  return <DocumentsTable database={database} basePath={documentsPath} />;
}
