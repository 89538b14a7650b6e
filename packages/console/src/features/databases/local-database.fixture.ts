import { freshLocal, freshName } from '../../engine/engine-here.fixture.ts';
import type { Connection } from '../../local/connections.ts';
import { localPages } from '../../local/database-pages.ts';
import { databasePath } from '../../local/database-path.ts';
import type { LocalDatabase } from './local-database.ts';

export interface LocalGiven {
  readonly name?: string;
  readonly docs?: readonly Readonly<Record<string, unknown>>[];
  /** The remote name and the endpoint of its connection. */
  readonly connection?: Pick<Connection, 'remoteName' | 'endpoint'>;
}

/** Creates a local database, as the routes pass it to their pages. */
export async function localWith({ name = freshName(), docs, connection }: LocalGiven = {}) {
  const path = databasePath(name);
  const database = await freshLocal(docs, name);
  const local: LocalDatabase = {
    database,
    localName: name,
    localPath: path,
    remote: undefined,
    connection: connection && {
      ...connection,
      localName: name,
      sanitizedRemoteName: 'remote',
      firstConnect: false,
    },
    path,
    pages: localPages(path),
    title: name,
    people: new Map(),
  };
  return local;
}
