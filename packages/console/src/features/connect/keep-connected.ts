/** Attaches the connected databases of this browser, and keeps them attached. */
import { FixpointError } from '@fixpoint/protocol';
import type { AdminClient } from '@fixpoint/protocol/admin';
import {
  attachElsewhere,
  attachedDatabases,
  attachLocal,
  detachLocal,
  forgetFailed,
} from '../../cloud/ledgers/attached-databases.ts';
import { type Connection, connectionOf, listConnections, recordFirstSync } from '../../local/connections.ts';
import { listedName, visibleNames } from '../../local/database-names.ts';
import { onListChange, openLocal, storageNames } from '../../local/databases.ts';
import { accessTo, hasEnded } from '../../local/elsewhere-access.ts';
import { ledgerIn } from '../../local/endpoint.ts';
import { extendedAccess } from '../../local/extend-access.ts';
import { canSync } from './describe-standing.ts';

/** Each attachment keeps a database open and a connection to the server. */
const ATTACHED_MAX = 20;

/**
 * Attaches the database of a connection, if the user agreed to the connection.
 * @param email the address of the signed-in user; null if nobody is signed in
 */
export function attachConnected(api: AdminClient, email: string | null, connection: Connection): void {
  const ledger = ledgerIn(connection.endpoint);
  if (ledger === undefined || !canSync(connection, email)) return;
  const { tenantId, ledgerId, server, isHere } = ledger;
  const database = openLocal(connection.localName);
  const before = attachedDatabases().get(database.name)?.attached;
  if (isHere) attachLocal(api, database, { tenantId, ledgerId });
  else
    attachElsewhere(
      database,
      { tenantId, ledgerId, other: { server, user: email } },
      elsewhereOptions(connection, email),
    );
  const isNew = attachedDatabases().get(database.name)?.attached !== before;
  if (isNew && connection.firstConnect) void awaitFirstSync(connection, database.name);
}

/** Reads the access at each use, because the user may renew it in another tab. */
function elsewhereOptions(connection: Connection, user: string | null) {
  const isSealed = accessTo(connection.localName, connection.endpoint, user)?.isSealed === true;
  return {
    ...(isSealed && { kind: 'sealed' as const }),
    token: async () => {
      const access = await extendedAccess(connection, user);
      if (access === undefined || hasEnded(access)) throw new FixpointError('NOT_SIGNED_IN');
      return access.token;
    },
  };
}

/** Records the first sync once the database is in sync. */
async function awaitFirstSync(connection: Connection, name: string): Promise<void> {
  const attached = await attachedDatabases()
    .get(name)
    ?.attached.catch(() => undefined);
  if (attached === undefined) return;
  const isDone = () => {
    const { state, error } = attached.status();
    return state === 'in-sync' && error === undefined;
  };
  if (!isDone())
    await new Promise<void>((resolve) => {
      const stop = attached.onStatus(() => {
        if (!isDone()) return;
        stop();
        resolve();
      });
    });
  // The user may have disconnected the database since.
  if (ledgerIn(connection.endpoint)?.ledgerId === attachedDatabases().get(name)?.place.ledgerId)
    await recordFirstSync(connection);
}

/**
 * Attaches all connected databases, and those that are connected later. Tries again when the page
 * is shown again. Returns a function that ends this; the databases stay attached.
 * @param email the address of the signed-in user; null if nobody is signed in
 * @param everyMinute calls a function each minute; returns a function that ends this
 */
export function keepConnected(
  api: AdminClient,
  email: string | null,
  everyMinute: (run: () => void) => () => void = eachMinute,
): () => void {
  let newest = 0;
  let elsewhere: readonly Connection[] = [];
  const look = async () => {
    const mine = ++newest;
    const [connections, storages] = await Promise.all([listConnections(), storageNames()]);
    // A look that began earlier may not know that the user disconnected a database.
    if (mine !== newest) return;
    const existing = storages === undefined ? undefined : new Set(visibleNames(storages));
    const wanted = new Map<string, Connection>();
    for (const { localName } of connections.toReversed()) {
      const connection = connectionOf(connections, localName);
      const name = listedName(localName);
      // Opening a database that doesn't exist would create it.
      if (connection === undefined || existing?.has(name) === false) continue;
      if (canSync(connection, email)) wanted.set(name, connection);
    }
    elsewhere = [...wanted.values()].filter(({ endpoint }) => ledgerIn(endpoint)?.isHere === false);
    for (const name of attachedDatabases().keys()) if (!wanted.has(name)) void detachLocal(name);
    for (const [name, connection] of wanted)
      if (attachedDatabases().has(name) || attachedDatabases().size < ATTACHED_MAX)
        attachConnected(api, email, connection);
  };
  const lookQuietly = () => void look().catch(() => undefined);
  const again = () => {
    if (document.visibilityState !== 'visible') return;
    forgetFailed();
    lookQuietly();
  };
  lookQuietly();
  const stop = onListChange(lookQuietly);
  // A database without changes asks for no token, and a token that has ended can't be extended.
  const stopExtending = everyMinute(() => {
    for (const connection of elsewhere) void extendedAccess(connection, email);
  });
  document.addEventListener('visibilitychange', again);
  window.addEventListener('online', again);
  return () => {
    newest += 1;
    stop();
    stopExtending();
    document.removeEventListener('visibilitychange', again);
    window.removeEventListener('online', again);
  };
}

function eachMinute(run: () => void): () => void {
  const timer = setInterval(run, 60_000);
  return () => clearInterval(timer);
}
