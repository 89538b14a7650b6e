import type { BridgedDatabase } from 'fixpoint/bridge';
import { useOutletContext } from 'react-router';
import type { Connection } from '../../local/connections.ts';
import type { DatabasePages } from '../../local/database-pages.ts';
import type { People } from '../../values/who-wrote.ts';

/** Describes the local database that a path names, for the pages below it. */
export interface LocalDatabase {
  readonly database: BridgedDatabase;
  readonly localName: string;
  /** Path of the database under its local name. */
  readonly localPath: string;
  /** The connection, when the path names a remote. */
  readonly remote: Connection | undefined;
  /** The database's connection to a remote, even if the path contains the local name. */
  readonly connection: Connection | undefined;
  /** Path of the database under the requested name. The paths of its other pages begin with it. */
  readonly path: string;
  readonly pages: DatabasePages;
  /** The page's title: the remote name or the local name. */
  readonly title: string;
  /** The people with access to the ledger that the database is connected to. */
  readonly people: People;
}

export const useLocalDatabase = (): LocalDatabase => useOutletContext<LocalDatabase>();
