import { useParams } from 'react-router';
import { useLocalDatabase } from '../features/databases/local-database.ts';
import { LocalHeader } from '../features/databases/local-header.tsx';
import { QueryPage } from '../features/query/query-page.tsx';

/** /fp/databases/{name}/query/{id?} */
export function Component() {
  const local = useLocalDatabase();
  const { id } = useParams();
  return (
    <>
      <LocalHeader local={local} page="Query" />
      <QueryPage database={local.database} queryId={id} pages={local.pages} />
    </>
  );
}
