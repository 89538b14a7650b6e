import { useLocalDatabase } from '../features/databases/local-database.ts';
import { LocalHeader } from '../features/databases/local-header.tsx';
import { HistoryPage } from '../features/history/history-page.tsx';

/** /fp/databases/{name}/history */
export function Component() {
  const local = useLocalDatabase();
  return (
    <>
      <LocalHeader local={local} page="History" />
      <HistoryPage database={local.database} name={local.title} pages={local.pages} />
    </>
  );
}
