import { useLocation } from 'react-router';
import { DocumentEditor } from '../features/documents/document-editor.tsx';
import { documentIdAtEnd } from '../features/documents/document-path.ts';
import { useLedger } from '../features/ledgers/ledger-context.ts';

/** .../ledgers/{ledgerId}/documents/{documentId}; the id "new" makes a document. */
export function Component() {
  const { database, documentsPath, name } = useLedger();
  const documentId = documentIdAtEnd(useLocation().pathname);
  return (
    <>
      <title>{`${documentId ?? 'New document'} · ${name} · Fixpoint`}</title>
      <DocumentEditor database={database} documentId={documentId} basePath={documentsPath} />
    </>
  );
}
