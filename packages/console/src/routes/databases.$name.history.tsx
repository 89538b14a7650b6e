import { useAttachedDatabase } from '../features/connect/use-standing.ts';
import { useLocalDatabase } from '../features/databases/local-database.ts';
import { LocalHeader } from '../features/databases/local-header.tsx';
import { HistoryPage } from '../features/history/history-page.tsx';

/** /fp/databases/{name}/history */
export function Component() {
  const local = useLocalDatabase();
  const { database, localName, title, pages, people } = local;
  const toSend = useAttachedDatabase(localName)?.status?.toSend;
  return (
    <>
      <LocalHeader local={local} page="History" />
      <HistoryPage {...{ database, pages, people, toSend }} name={title} />
    </>
  );
}
