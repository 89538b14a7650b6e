import { useLocation, useSearchParams } from 'react-router';
import { useAttachedDatabase } from '../features/connect/use-standing.ts';
import { useLocalDatabase } from '../features/databases/local-database.ts';
import { LocalHeader } from '../features/databases/local-header.tsx';
import { DocumentEditor } from '../features/documents/document/document-editor.tsx';
import { useDocumentTitle } from '../features/documents/document/use-document-title.ts';
import { PastDocument } from '../features/history/versions/past-view.tsx';
import { headIn } from '../features/history/versions/version-address.ts';
import { documentIdAtEnd } from '../local/document-path.ts';

/** /fp/databases/{name}/docs/{id}; the id "new" creates a document. */
export function Component() {
  const local = useLocalDatabase();
  const documentId = documentIdAtEnd(useLocation().pathname);
  const head = headIn(useSearchParams()[0]);
  const toSend = useAttachedDatabase(local.localName)?.status?.toSend;
  const [title, setTitle] = useDocumentTitle(documentId);
  return (
    <>
      <LocalHeader
        local={local}
        page={documentId === undefined ? 'New Document' : title}
        isOwnTitle
        name={title}
      />
      {head !== undefined && documentId !== undefined ? (
        <PastDocument database={local.database} head={head} pages={local.pages} id={documentId} />
      ) : (
        <DocumentEditor
          database={local.database}
          {...{ documentId, toSend }}
          people={local.people}
          basePath={local.pages.docs}
          backPath={local.path}
          backLabel="Cancel"
          hasDelete
          onTitle={setTitle}
        />
      )}
    </>
  );
}
