import { useLocation, useSearchParams } from 'react-router';
import { useLocalDatabase } from '../features/databases/local-database.ts';
import { LocalHeader } from '../features/databases/local-header.tsx';
import { DocumentEditor } from '../features/documents/document-editor.tsx';
import { documentIdAtEnd, documentTitle } from '../features/documents/document-path.ts';
import { headIn } from '../features/history/past.ts';
import { PastDocument } from '../features/history/past-view.tsx';

/** /fp/databases/{name}/docs/{id}; the id "new" creates a document. */
export function Component() {
  const local = useLocalDatabase();
  const documentId = documentIdAtEnd(useLocation().pathname);
  const head = headIn(useSearchParams()[0]);
  return (
    <>
      <LocalHeader
        local={local}
        page={documentId === undefined ? 'New Document' : 'Document'}
        name={documentTitle(documentId)}
      />
      {head !== undefined && documentId !== undefined ? (
        <PastDocument database={local.database} head={head} pages={local.pages} id={documentId} />
      ) : (
        <DocumentEditor
          database={local.database}
          documentId={documentId}
          basePath={local.pages.docs}
          backPath={local.path}
          backLabel="Cancel"
          hasDelete
        />
      )}
    </>
  );
}
