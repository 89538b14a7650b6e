import type { Database, SyncStatus } from 'fixpoint';
import { useSyncExternalStore } from 'react';
import {
  type AttachedDatabase,
  attachedDatabases,
  onAttachedChange,
} from '../../cloud/ledgers/attached-databases.ts';
import type { Connection } from '../../local/connections.ts';
import { useHasContent } from '../../local/lost-database.tsx';
import type { SyncText } from '../sync/describe-sync.ts';
import { countsOf, partDone } from '../sync/sync-counts.ts';
import { describeStanding, type Standing, standingOf } from './describe-standing.ts';
import { useSyncUser } from './use-sync-user.ts';

/** Returns the attachment of a local database, live. */
export const useAttachedDatabase = (localName: string): AttachedDatabase | undefined =>
  useSyncExternalStore(onAttachedChange, attachedDatabases).get(localName);

/** Returns how a local database and the cloud stand to each other, live. */
export function useStanding(localName: string, connection: Connection | undefined): Standing {
  const attached = useAttachedDatabase(localName);
  return standingOf(connection, useSyncUser(), attached);
}

/** Returns the word, the icon and the reason for a connected database, live. */
export function useStandingText(localName: string, connection: Connection): SyncText {
  const standing = useStanding(localName, connection);
  const attached = useAttachedDatabase(localName)?.attached;
  const isFirst = connection.firstConnect && standing.is === 'syncing' && attached !== undefined;
  return describeStanding(standing, isFirst ? partDone(countsOf(attached, standing.status)) : undefined);
}

/**
 * Returns whether the first documents of a newly connected database are still being fetched. Until
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
