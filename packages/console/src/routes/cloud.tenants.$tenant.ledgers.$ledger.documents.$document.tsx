import { useLocation, useSearchParams } from 'react-router';
import { DocumentEditor } from '../features/documents/document/document-editor.tsx';
import { useDocumentTitle } from '../features/documents/document/use-document-title.ts';
import { PastDocument } from '../features/history/versions/past-view.tsx';
import { headIn } from '../features/history/versions/version-address.ts';
import { useLedger } from '../features/ledgers/ledger-context.ts';
import { useToSend } from '../features/sync/use-to-send.ts';
import { documentIdAtEnd } from '../local/document-path.ts';

/** .../ledgers/{ledgerId}/documents/{documentId}; the id "new" creates a document. */
export function Component() {
  const { database, attached, pages, name, people } = useLedger();
  const toSend = useToSend(attached);
  const documentId = documentIdAtEnd(useLocation().pathname);
  const head = headIn(useSearchParams()[0]);
  const [title, setTitle] = useDocumentTitle(documentId);
  return (
    <>
      <title>{`${title} · ${name} · Fixpoint`}</title>
      <h2
        // Ends before the column beside the document, which is as high as the page.
        className="mb-2 truncate text-lg font-semibold lg:mr-75"
        title={title}
      >
        {title}
      </h2>
      {head !== undefined && documentId !== undefined ? (
        <PastDocument database={database} head={head} pages={pages} id={documentId} />
      ) : (
        <DocumentEditor
          {...{ database, documentId, toSend, people }}
          basePath={pages.docs}
          onTitle={setTitle}
        />
      )}
    </>
  );
}
