/**
 * Builds and resolves paths of local databases. A path contains the name of a local database, or
 * the name of a remote that a local database is connected to. A leading tilde always means a local
 * name, for databases that share their name with a page or with another database's remote.
 */
import { type Connection, connectionNamed } from './connections.ts';
import { listedName } from './database-names.ts';

const AREA = '/fp/databases';
const PAGES: ReadonlySet<string> = new Set(['new', 'connect']);

export function databasePath(name: string, connections: readonly Connection[] = []): string {
  const remote = connectionNamed(connections, name);
  const isTaken = PAGES.has(name) || (remote !== undefined && listedName(remote.localName) !== name);
  return `${AREA}/${isTaken ? '~' : ''}${encodeURIComponent(name)}`;
}

/** Returns the path of the remote that a local database is connected to. */
export function connectedPath(connection: Connection): string {
  const { sanitizedRemoteName, localName } = connection;
  return PAGES.has(sanitizedRemoteName)
    ? databasePath(listedName(localName))
    : `${AREA}/${sanitizedRemoteName}`;
}

export interface NamedDatabase {
  readonly localName: string;
  /** The connection, if the path contains the name of a remote. */
  readonly remote: Connection | undefined;
}

/** Resolves the name in a path. */
export function databaseNamed(part: string, connections: readonly Connection[]): NamedDatabase {
  if (part.startsWith('~')) return { localName: listedName(part.slice(1)), remote: undefined };
  const remote = connectionNamed(connections, part);
  return { localName: listedName(remote?.localName ?? part), remote };
}
