import { useLocalDatabase } from '../features/databases/local-database.ts';
import { LocalHeader } from '../features/databases/local-header.tsx';
import { HistoryTable } from '../features/history/history-table.tsx';

/** /fp/databases/{name}/history */
export function Component() {
  const local = useLocalDatabase();
  return (
    <>
      <LocalHeader local={local} page="History" />
      <HistoryTable database={local.database} basePath={`${local.path}/docs`} />
    </>
  );
}
