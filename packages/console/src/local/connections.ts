/** Maps local databases to remote names, in records of the sync database. */
import { SYNC_DATABASE, sanitizeRemoteName } from '@fixpoint/protocol';
import type { Database } from 'fixpoint';
import { forgetAgreed } from './agreed-endpoints.ts';
import { listedName, problemOfName } from './database-names.ts';
import { hasStorage, listChanged, openLocal } from './databases.ts';
import { ledgerIn, placeIn, readEndpoint, serverName } from './endpoint.ts';

/** A record of a connection (spec §3). */
export interface Connection {
  readonly remoteName: string;
  readonly sanitizedRemoteName: string;
  readonly localName: string;
  /** A server, and with `tenant` and `ledger` in it, the ledger to sync with. May be empty. */
  readonly endpoint: string;
  /** Whether the first sync with the endpoint isn't done. */
  readonly firstConnect: boolean;
}

/** Reads a connection from the address of the connect page. */
export function connectionFrom(parameters: URLSearchParams): Connection | { readonly error: string } {
  const localName = parameters.get('localName')?.trim() ?? '';
  if (localName === '') return { error: 'Local name is required' };
  const reserved = problemOfName(localName, []);
  if (reserved !== undefined) return { error: reserved };
  const endpoint = parameters.get('endpoint')?.trim() ?? '';
  const read = endpoint === '' ? undefined : readEndpoint(endpoint);
  if (read !== undefined && 'problem' in read) return { error: read.problem };
  const remoteName = parameters.get('remoteName')?.trim() || localName;
  return {
    remoteName,
    sanitizedRemoteName: sanitizeRemoteName(remoteName) || listedName(localName),
    localName,
    endpoint,
    firstConnect: true,
  };
}

/**
 * Returns a warning if a new connection would have the same name as a known one, or an address that
 * already opens a database. Names of storages keep only ASCII letters, digits and `-`, and paths of
 * remotes only letters and digits; `_` replaces all other characters. Returns undefined if there is
 * no such conflict.
 * @param existing names of the databases of this browser
 */
export function sharedBy(
  asked: Connection,
  connections: readonly Connection[],
  existing: readonly string[],
): string | undefined {
  const { localName, sanitizedRemoteName } = asked;
  const listed = listedName(localName);
  const twin = connections.find((known) => isOf(known, localName) && known.localName !== localName);
  if (twin !== undefined)
    return `In this browser "${localName}" and "${twin.localName}" are the same database, "${listed}": ${KEPT}. Both would show the same documents.`;
  if (
    !/[a-z0-9]/i.test(listed) &&
    existing.includes(listed) &&
    !connections.some((known) => isOf(known, localName))
  )
    return `In this browser "${localName}" is called "${listed}", and a database of that name already exists: ${KEPT}. Connecting would use the existing database.`;
  const before = connectionOf(connections, localName);
  if (before !== undefined && replaces(asked, before))
    return `"${localName}" already syncs with ${placeText(before)}, and a local database syncs with one database at a time. If you connect, it syncs with ${placeText(asked)} instead.`;
  const taken = connectionNamed(connections, sanitizedRemoteName);
  if (taken === undefined && sanitizedRemoteName !== listed && existing.includes(sanitizedRemoteName))
    return `${databasesAt(sanitizedRemoteName)} opens the local database "${sanitizedRemoteName}". If you connect, this address opens "${localName}", and ${databasesAt(`~${sanitizedRemoteName}`)} opens "${sanitizedRemoteName}".`;
  if (taken === undefined || isOf(taken, localName)) return undefined;
  return `${databasesAt(sanitizedRemoteName)} already opens "${taken.remoteName}" of the local database "${taken.localName}": ${IN_ADDRESSES}. If you connect, this address opens "${localName}".`;
}

/**
 * Returns whether a database would no longer sync with the ledger of an earlier connection. A
 * server without a ledger replaces only the connection of the same name.
 */
const replaces = (asked: Connection, before: Connection): boolean =>
  isOtherPlace(before.endpoint, asked.endpoint) &&
  (ledgerIn(asked.endpoint) !== undefined || before.remoteName === asked.remoteName);

/** Returns whether an endpoint names a ledger, and the next one another ledger or server. */
function isOtherPlace(endpoint: string, next: string): boolean {
  const before = ledgerIn(endpoint);
  const after = next === '' ? undefined : readEndpoint(next);
  if (before === undefined || after === undefined || 'problem' in after) return false;
  const isSameServer = before.isHere ? after.isHere : before.server === after.server;
  if (!isSameServer || after.place === undefined) return !isSameServer;
  return before.tenantId !== after.place.tenantId || before.ledgerId !== after.place.ledgerId;
}

function placeText({ remoteName, endpoint }: Connection): string {
  const read = readEndpoint(endpoint);
  const isHere = 'problem' in read || read.isHere;
  return isHere ? `"${remoteName}"` : `"${remoteName}" at ${serverName(read.server)}`;
}

const KEPT = 'only letters, digits, - and _ of a name are kept';
const IN_ADDRESSES = 'addresses contain _ instead of characters that aren’t letters or digits';
const databasesAt = (name: string): string => `/fp/databases/${name}`;

/** Lists all connections of this browser, oldest first. @throws FixpointError */
export async function listConnections(): Promise<readonly Connection[]> {
  return (await hasStorage(SYNC_DATABASE)) ? connectionsIn(openLocal(SYNC_DATABASE)) : [];
}

/** Records a connection. @throws FixpointError */
export async function recordConnection(connection: Connection): Promise<void> {
  await recordIn(openLocal(SYNC_DATABASE), connection);
  listChanged();
}

/** Forgets the connections of a local database. @throws FixpointError */
export async function forgetConnections(localName: string): Promise<void> {
  forgetAgreed(localName);
  if (!(await hasStorage(SYNC_DATABASE))) return;
  await forgetIn(openLocal(SYNC_DATABASE), localName);
  listChanged();
}

/** Records that the first sync of a connection is done. @throws FixpointError */
export async function recordFirstSync(connection: Connection): Promise<void> {
  if (await markSynced(openLocal(SYNC_DATABASE), connection)) listChanged();
}

/** Returns the newest connection whose remote name appears in a path as this name. */
export const connectionNamed = (connections: readonly Connection[], name: string): Connection | undefined =>
  connections.findLast(({ sanitizedRemoteName }) => sanitizedRemoteName === name);

/**
 * Returns the newest connection of a local database. A connection to a ledger comes before
 * connections that only name a remote or a server, and one of this server comes first.
 */
export function connectionOf(connections: readonly Connection[], localName: string): Connection | undefined {
  const own = connections.filter((connection) => isOf(connection, localName));
  return (
    own.findLast(({ endpoint }) => placeIn(endpoint) !== undefined) ??
    own.findLast(({ endpoint }) => ledgerIn(endpoint) !== undefined) ??
    own.at(-1)
  );
}

const isOf = ({ localName }: Connection, name: string): boolean => listedName(localName) === listedName(name);

export async function connectionsIn(sync: Database): Promise<readonly Connection[]> {
  const { rows } = await sync.allDocs<Connection>();
  return rows.map(({ value }) => value).filter(isConnection);
}

const isConnection = ({ localName, remoteName, sanitizedRemoteName }: Partial<Connection>): boolean =>
  [localName, remoteName, sanitizedRemoteName].every((name) => typeof name === 'string');

/**
 * Records a connection. If the connection is already known, only updates its endpoint; a first sync
 * with the new endpoint is due then. A connection to a ledger replaces those of the same database
 * to other ledgers.
 */
export async function recordIn(sync: Database, connection: Connection): Promise<void> {
  const { rows } = await sync.allDocs<Connection>();
  const { localName, remoteName, endpoint } = connection;
  const known = rows.find(
    ({ value }) => value.localName === localName && value.remoteName === remoteName,
  )?.value;
  const twin = rows.find(
    ({ value }) => isConnection(value) && isOf(value, localName) && value.endpoint === endpoint,
  );
  if (known === undefined)
    await sync.put({ ...connection, firstConnect: twin?.value.firstConnect ?? connection.firstConnect });
  else if (endpoint !== '' && known.endpoint !== endpoint)
    await sync.put({ ...known, endpoint, firstConnect: true });
  if (ledgerIn(endpoint) === undefined) return;
  for (const { key, value } of rows)
    if (isConnection(value) && isOf(value, localName) && isOtherPlace(value.endpoint, endpoint))
      if (value.remoteName !== remoteName || value.localName !== localName) await sync.del(key);
}

/** Returns whether the record changed. */
export async function markSynced(sync: Database, { localName, endpoint }: Connection): Promise<boolean> {
  const { rows } = await sync.allDocs<Connection>();
  const due = rows.filter(
    ({ value }) =>
      isConnection(value) && isOf(value, localName) && value.endpoint === endpoint && value.firstConnect,
  );
  for (const { value } of due) await sync.put({ ...value, firstConnect: false });
  return due.length > 0;
}

export async function forgetIn(sync: Database, localName: string): Promise<void> {
  const { rows } = await sync.allDocs<Connection>();
  for (const { key, value } of rows) if (isConnection(value) && isOf(value, localName)) await sync.del(key);
}
