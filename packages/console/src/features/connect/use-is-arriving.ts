import type { Database, SyncStatus } from 'fixpoint';
import type { Connection } from '../../local/connections.ts';
import { useHasContent } from '../../local/lost-database.tsx';

/**
 * Returns whether the first documents of a newly connected database are still on their way. Until
 * they arrive, the database isn't shown as empty.
 */
export function useIsArriving(
  database: Database,
  connection: Connection | undefined,
  status: SyncStatus | undefined,
): boolean {
  const hasContent = useHasContent(database);
  const isFetching = status?.state === 'connecting' || status?.state === 'catching-up';
  return connection?.firstConnect === true && isFetching && !hasContent;
}
