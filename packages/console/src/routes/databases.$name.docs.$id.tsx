import { useLocation } from 'react-router';
import { useLocalDatabase } from '../features/databases/local-database.ts';
import { LocalHeader } from '../features/databases/local-header.tsx';
import { DocumentEditor } from '../features/documents/document-editor.tsx';
import { documentIdAtEnd } from '../features/documents/document-path.ts';

/** /fp/databases/{name}/docs/{id}; the id "new" makes a document. */
export function Component() {
  const local = useLocalDatabase();
  const documentId = documentIdAtEnd(useLocation().pathname);
  return (
    <>
      <LocalHeader
        local={local}
        page={documentId === undefined ? 'New Document' : 'Document'}
        name={documentId}
      />
      <DocumentEditor
        database={local.database}
        documentId={documentId}
        basePath={`${local.path}/docs`}
        backPath={local.path}
        backLabel="Cancel"
        hasDelete
      />
    </>
  );
}
