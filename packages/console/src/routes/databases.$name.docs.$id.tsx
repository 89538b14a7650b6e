import { useParams } from 'react-router';
import { DocumentEditor } from '../features/documents/document-editor.tsx';
import { documentIdOf } from '../features/documents/document-path.ts';
import { PageHeader } from '../ui/feedback.tsx';
import { useLocalDatabase } from './databases.$name.tsx';

/** /fp/databases/{name}/docs/{id}; the id "new" makes a document. */
export function Component() {
  const { database, name, base } = useLocalDatabase();
  const { id = '' } = useParams();
  const documentId = documentIdOf(id);
  return (
    <>
      <title>{`${documentId ?? 'New document'} · Fixpoint`}</title>
      <PageHeader title={documentId ?? 'New document'} above={name} />
      <DocumentEditor database={database} documentId={documentId} basePath={`${base}/docs`} backPath={base} />
    </>
  );
}
