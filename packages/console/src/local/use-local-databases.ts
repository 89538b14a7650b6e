import { savedQueriesName } from '@fixpoint/protocol';
import { useEffect, useState } from 'react';
import { type Connection, listConnections } from './connections.ts';
import { visibleNames } from './database-names.ts';
import { databasePath } from './database-path.ts';
import { hasStorage, onListChange, storageNames } from './databases.ts';

export interface ListedDatabase {
  readonly name: string;
  /** Its page; the paths of its other pages begin with it. */
  readonly path: string;
  readonly hasSavedQueries: boolean;
}

/** The local databases, live; undefined until they are known. Applications of this origin make databases too, so coming back to the page looks again. */
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

/** A list that cannot be had is an empty one (spec §8). */
export async function listDatabases(): Promise<readonly ListedDatabase[]> {
  const names = visibleNames((await storageNames()) ?? []);
  const connections = await listConnections().catch((): readonly Connection[] => []);
  return Promise.all(
    names.map(async (name) => ({
      name,
      path: databasePath(name, connections),
      hasSavedQueries: await hasStorage(savedQueriesName(name)),
    })),
  );
}
