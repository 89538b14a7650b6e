import { useOutletContext, useParams } from 'react-router';
import { openLedger } from '../cloud/ledger-database.ts';
import { DocumentEditor } from '../features/documents/document-editor.tsx';
import { documentIdOf } from '../features/documents/document-path.ts';

/** .../documents/{documentId}; the id "new" makes a document. */
export function Component() {
  const base = useOutletContext<string>();
  const { tenantId = '', ledgerId = '', documentId = '' } = useParams();
  const { database } = openLedger(tenantId, ledgerId);
  const basePath = `${base}/documents`;
  return (
    <DocumentEditor
      database={database}
      documentId={documentIdOf(documentId)}
      basePath={basePath}
      backPath={basePath}
    />
  );
}
