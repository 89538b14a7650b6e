import { useParams } from 'react-router';
import { QueryPage } from '../features/query/query-page.tsx';
import { PageHeader } from '../ui/feedback.tsx';
import { useLocalDatabase } from './databases.$name.tsx';

/** /fp/databases/{name}/query/{id?} */
export function Component() {
  const { database, name, base } = useLocalDatabase();
  const { id } = useParams();
  return (
    <>
      <title>{`Query ${name} · Fixpoint`}</title>
      <PageHeader title="Query" above={name} />
      <QueryPage database={database} name={database.name} queryId={id} basePath={base} />
    </>
  );
}
