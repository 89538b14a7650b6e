import { useLocation, useSearchParams } from 'react-router';
import { DocumentEditor } from '../features/documents/document/document-editor.tsx';
import { usePeople } from '../features/history/use-people.ts';
import { PastDocument } from '../features/history/versions/past-view.tsx';
import { headIn } from '../features/history/versions/version-address.ts';
import { useLedger } from '../features/ledgers/ledger-context.ts';
import { useToSend } from '../features/sync/use-to-send.ts';
import { documentIdAtEnd, documentTitle } from '../local/document-path.ts';

/** .../ledgers/{ledgerId}/documents/{documentId}; the id "new" creates a document. */
export function Component() {
  const { database, attached, pages, name, tenantId } = useLedger();
  const people = usePeople(tenantId);
  const toSend = useToSend(attached);
  const documentId = documentIdAtEnd(useLocation().pathname);
  const head = headIn(useSearchParams()[0]);
  return (
    <>
      <title>{`${documentTitle(documentId)} · ${name} · Fixpoint`}</title>
      {head !== undefined && documentId !== undefined ? (
        <PastDocument database={database} head={head} pages={pages} id={documentId} />
      ) : (
        <DocumentEditor {...{ database, documentId, toSend, people }} basePath={pages.docs} />
      )}
    </>
  );
}
