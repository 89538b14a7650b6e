import { useOutletContext, useParams } from 'react-router';
import { openLedger } from '../cloud/ledger-database.ts';
import { DocumentsTable } from '../features/documents/documents-table.tsx';
import { LinkButton } from '../ui/button.tsx';

/** .../ledgers/{ledgerId}/documents */
export function Component() {
  const base = useOutletContext<string>();
  const { tenantId = '', ledgerId = '' } = useParams();
  const { database } = openLedger(tenantId, ledgerId);
  return (
    <>
      <div className="mb-3 flex justify-end">
        <LinkButton to={`${base}/documents/new`} tone="primary">
          New Document
        </LinkButton>
      </div>
      <DocumentsTable database={database} basePath={`${base}/documents`} />
    </>
  );
}
