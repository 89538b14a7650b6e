import { savedQueriesName } from '@fixpoint/protocol';
import { useEffect, useState } from 'react';
import { type Connection, connectionOf, listConnections } from './connections.ts';
import { visibleNames } from './database-names.ts';
import { databasePath } from './database-path.ts';
import { hasStorage, isStorageBlocked, onListChange, storageNames } from './databases.ts';

export interface ListedDatabase {
  readonly name: string;
  /** Path of its page; the paths of its other pages begin with it. */
  readonly path: string;
  readonly hasSavedQueries: boolean;
  /** Its connection to a remote, if it has one. */
  readonly connection: Connection | undefined;
}

/**
 * Returns the local databases, live; undefined until they are known. Apps of this origin also
 * create databases, so the hook refreshes the list when the user returns to the page.
 */
export function useLocalDatabases(): readonly ListedDatabase[] | undefined {
  const [list, setList] = useState<readonly ListedDatabase[] | undefined>();
  useEffect(() => {
    let asked = 0;
    const load = () => {
      asked += 1;
      const own = asked;
      void listDatabases().then((found) => own === asked && setList(found));
    };
    load();
    const stop = onListChange(load);
    window.addEventListener('focus', load);
    return () => {
      asked = -1;
      stop();
      window.removeEventListener('focus', load);
    };
  }, []);
  return list;
}

/** The list of a browser that blocks storage. */
const BLOCKED: readonly ListedDatabase[] = [];

/** Returns whether a list is empty because the browser blocks storage for this site. */
export const isBlocked = (list: readonly ListedDatabase[] | undefined): boolean => list === BLOCKED;

/**
 * Lists the local databases. Where the browser doesn't list storages, the list is empty (spec §8).
 */
export async function listDatabases(): Promise<readonly ListedDatabase[]> {
  const found = await storageNames();
  if (found === undefined && (await isStorageBlocked())) return BLOCKED;
  const names = visibleNames(found ?? []);
  const connections = await listConnections().catch((): readonly Connection[] => []);
  return Promise.all(
    names.map(async (name) => ({
      name,
      path: databasePath(name, connections),
      hasSavedQueries: await hasStorage(savedQueriesName(name)),
      connection: connectionOf(connections, name),
    })),
  );
}
