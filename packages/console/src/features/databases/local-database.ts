import type { BridgedDatabase } from 'fixpoint/bridge';
import { useOutletContext } from 'react-router';
import type { Connection } from '../../local/connections.ts';
import type { DatabasePages } from './database-pages.ts';

/** The local database that a path names, for the pages below it. */
export interface LocalDatabase {
  readonly database: BridgedDatabase;
  readonly localName: string;
  /** Its page by its local name. */
  readonly localPath: string;
  /** The connection, when the path names a remote. */
  readonly remote: Connection | undefined;
  /** The connection to a remote, whatever name the path has. */
  readonly connection: Connection | undefined;
  /** The page as it was asked for; the paths of the other pages begin with it. */
  readonly path: string;
  readonly pages: DatabasePages;
  /** What the page is called: the remote name or the local name. */
  readonly title: string;
}

export const useLocalDatabase = (): LocalDatabase => useOutletContext<LocalDatabase>();
