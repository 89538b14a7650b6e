/** Describes in words how a local database and the cloud stand to each other. */
import { isFixpointError } from '@fixpoint/protocol';
import type { SyncStatus } from 'fixpoint';
import type { AttachedDatabase } from '../../cloud/ledgers/attached-databases.ts';
import { isAgreed } from '../../local/agreed-endpoints.ts';
import type { Connection } from '../../local/connections.ts';
import { accessTo, hasEnded } from '../../local/elsewhere-access.ts';
import {
  type Endpoint,
  type LedgerPlace,
  ledgerIn,
  obstacleTo,
  readEndpoint,
  serverName,
} from '../../local/endpoint.ts';
import { describeFailure, describeSync, type SyncText, waitingText } from '../sync/describe-sync.ts';

export type Standing =
  /** No ledger is chosen. */
  | { readonly is: 'local' }
  /** The recorded endpoint can't be read, or pages of this console can't connect to it. */
  | { readonly is: 'unusable'; readonly problem: string }
  /** The user must allow the connection at another server, or again, because that has ended. */
  | {
      readonly is: 'elsewhere';
      readonly host: string;
      readonly server: string;
      readonly hasEnded: boolean;
      /** Number of archives that wait for the access; undefined if it isn't known. */
      readonly toSend?: number | undefined;
    }
  /** A link or another user chose the ledger, and this user hasn't agreed to sync with it. */
  | { readonly is: 'asking'; readonly place: LedgerPlace }
  | { readonly is: 'signed-out'; readonly place: LedgerPlace }
  /** Attached soon, or when the user opens the database. */
  | (Attaching & { readonly is: 'waiting' })
  | (Attaching & { readonly is: 'failed'; readonly error: unknown })
  | (Attaching & { readonly is: 'syncing'; readonly status: SyncStatus });

interface Attaching {
  readonly place: LedgerPlace;
  /** The other server; undefined for the server that serves the console. */
  readonly other?: Pick<Endpoint, 'host' | 'server'> | undefined;
}

/**
 * Returns how a database stands.
 * @param email the address of the signed-in user, null if nobody is signed in, undefined until it
 * is known
 */
export function standingOf(
  connection: Connection | undefined,
  email: string | null | undefined,
  attached: AttachedDatabase | undefined,
): Standing {
  if (connection === undefined || connection.endpoint === '') return { is: 'local' };
  const read = readEndpoint(connection.endpoint);
  if ('problem' in read) return { is: 'unusable', problem: read.problem };
  const { server, isHere, place } = read;
  if (!isHere) {
    const problem = obstacleTo(server);
    if (problem !== undefined) return { is: 'unusable', problem };
    const host = serverName(server);
    if (email === undefined && place !== undefined) return { is: 'waiting', place, other: { host, server } };
    const access = accessTo(connection.localName, connection.endpoint, email ?? null);
    if (access !== undefined && place !== undefined && !hasEnded(access)) {
      const standing = attachedStanding({ place, other: { host, server } }, attached);
      if (!isTokenRefused(standing)) return standing;
    }
    if (access === undefined) return { is: 'elsewhere', host, server, hasEnded: false };
    return { is: 'elsewhere', host, server, hasEnded: true, toSend: attached?.status?.toSend };
  }
  if (place === undefined) return { is: 'local' };
  if (email === null) return { is: 'signed-out', place };
  if (email === undefined) return { is: 'waiting', place };
  if (!canSync(connection, email)) return { is: 'asking', place };
  return attachedStanding({ place }, attached);
}

function attachedStanding(where: Attaching, attached: AttachedDatabase | undefined): Standing {
  if (attached?.failure !== undefined) return { ...where, is: 'failed', error: attached.failure };
  if (attached?.status === undefined) return { ...where, is: 'waiting' };
  return { ...where, is: 'syncing', status: attached.status };
}

/** Returns whether the server rejects the token, whatever the clock of this device says. */
function isTokenRefused(standing: Standing): boolean {
  const error =
    standing.is === 'failed'
      ? standing.error
      : standing.is === 'syncing' && standing.status.state === 'refused'
        ? standing.status.error
        : undefined;
  return isFixpointError(error, 'NOT_SIGNED_IN') || isFixpointError(error, 'NO_TOKEN');
}

/**
 * Returns whether the user agreed to sync with the connection's ledger: here as the signed-in user,
 * at another server by a token. A database stays attached when the token has ended, so that it
 * counts what waits; its sync gets no token then.
 */
export function canSync({ localName, endpoint }: Connection, email: string | null): boolean {
  const ledger = ledgerIn(endpoint);
  if (ledger === undefined) return false;
  if (ledger.isHere) return email !== null && isAgreed(localName, endpoint, email);
  return accessTo(localName, endpoint, email) !== undefined;
}

const NO_SYNC = 'Not connected';

/**
 * Returns one word and one icon for a standing.
 * @param part the completed part of a first sync, from 0 to 1
 */
export function describeStanding(standing: Standing, part?: number): SyncText {
  switch (standing.is) {
    case 'local':
      return { word: 'Local only', icon: 'device' };
    case 'unusable':
      return { word: NO_SYNC, icon: 'warning', why: standing.problem };
    case 'elsewhere':
      return standing.hasEnded
        ? {
            word: 'Access ended',
            icon: 'warning',
            why: `${waitingText(standing.toSend)}Open the database to renew it at ${standing.host}.`,
          }
        : { word: NO_SYNC, icon: 'device', why: `Open the database to connect it at ${standing.host}.` };
    case 'asking':
      return { word: NO_SYNC, icon: 'device', why: 'Open the database to confirm the connection.' };
    case 'signed-out':
      return { word: 'Signed out', icon: 'offline', why: 'Sign in to sync this database.' };
    case 'waiting':
      return { word: 'Waiting', icon: 'busy', why: 'Syncs in a moment, or when you open the database.' };
    case 'failed':
      return describeFailure(standing.error);
    case 'syncing':
      return describeSync(standing.status, part);
  }
}
