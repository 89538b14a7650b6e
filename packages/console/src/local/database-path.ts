/**
 * Paths of local databases. A path names a local database, or a remote that one is connected to. With a tilde before it the name is a local
 * one in any case: for databases that are called like a page, or like a remote of another database.
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

/** The path of the remote that a local database is connected to. */
export function connectedPath(connection: Connection): string {
  const { sanitizedRemoteName, localName } = connection;
  return PAGES.has(sanitizedRemoteName)
    ? databasePath(listedName(localName))
    : `${AREA}/${sanitizedRemoteName}`;
}

export interface NamedDatabase {
  readonly localName: string;
  /** Present when the path names a remote. */
  readonly remote: Connection | undefined;
}

/** What the name in a path stands for. */
export function databaseNamed(part: string, connections: readonly Connection[]): NamedDatabase {
  if (part.startsWith('~')) return { localName: listedName(part.slice(1)), remote: undefined };
  const remote = connectionNamed(connections, part);
  return { localName: listedName(remote?.localName ?? part), remote };
}
