import { useLocation, useSearchParams } from 'react-router';
import { DocumentEditor } from '../features/documents/document-editor.tsx';
import { documentIdAtEnd } from '../features/documents/document-path.ts';
import { headIn } from '../features/history/past.ts';
import { PastDocument } from '../features/history/past-view.tsx';
import { useLedger } from '../features/ledgers/ledger-context.ts';

/** .../ledgers/{ledgerId}/documents/{documentId}; the id "new" makes a document. */
export function Component() {
  const { database, pages, name } = useLedger();
  const documentId = documentIdAtEnd(useLocation().pathname);
  const head = headIn(useSearchParams()[0]);
  return (
    <>
      <title>{`${documentId ?? 'New document'} · ${name} · Fixpoint`}</title>
      {head !== undefined && documentId !== undefined ? (
        <PastDocument database={database} head={head} pages={pages} id={documentId} />
      ) : (
        <DocumentEditor database={database} documentId={documentId} basePath={pages.docs} />
      )}
    </>
  );
}
