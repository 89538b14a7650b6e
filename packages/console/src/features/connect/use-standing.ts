import { useSyncExternalStore } from 'react';
import {
  type AttachedDatabase,
  attachedDatabases,
  onAttachedChange,
} from '../../cloud/ledgers/attached-databases.ts';
import type { Connection } from '../../local/connections.ts';
import { type Standing, standingOf } from './describe-standing.ts';
import { useSyncUser } from './use-sync-user.ts';

/** Returns the attachment of a local database, live. */
export const useAttachedDatabase = (localName: string): AttachedDatabase | undefined =>
  useSyncExternalStore(onAttachedChange, attachedDatabases).get(localName);

/** Returns how a local database and the cloud stand to each other, live. */
export function useStanding(localName: string, connection: Connection | undefined): Standing {
  const attached = useAttachedDatabase(localName);
  return standingOf(connection, useSyncUser(), attached);
}
