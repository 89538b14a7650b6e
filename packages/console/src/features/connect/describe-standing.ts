/** Describes in words how a local database and the cloud stand to each other. */
import { isFixpointError } from '@fixpoint/protocol';
import type { SyncStatus } from 'fixpoint';
import { type AttachedDatabase, isUnreachable } from '../../cloud/ledgers/attached-databases.ts';
import { isAgreed } from '../../local/agreed-endpoints.ts';
import type { Connection } from '../../local/connections.ts';
import { type LedgerPlace, readEndpoint } from '../../local/endpoint.ts';
import { failureText, UNREACHABLE } from '../../ui/text/failure-text.ts';

export type Standing =
  /** No ledger is chosen. */
  | { readonly is: 'local' }
  /** The recorded endpoint can't be read. */
  | { readonly is: 'malformed'; readonly problem: string }
  | { readonly is: 'elsewhere'; readonly host: string }
  /** A link or another user chose the ledger, and this user hasn't agreed to sync with it. */
  | { readonly is: 'asking'; readonly place: LedgerPlace }
  | { readonly is: 'signed-out'; readonly place: LedgerPlace }
  /** Attached soon, or when the user opens the database. */
  | { readonly is: 'waiting'; readonly place: LedgerPlace }
  | { readonly is: 'failed'; readonly place: LedgerPlace; readonly error: unknown }
  | { readonly is: 'syncing'; readonly place: LedgerPlace; readonly status: SyncStatus };

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
  if ('problem' in read) return { is: 'malformed', problem: read.problem };
  const { host, isHere, place } = read;
  if (!isHere) return { is: 'elsewhere', host };
  if (place === undefined) return { is: 'local' };
  if (email === null) return { is: 'signed-out', place };
  if (email === undefined) return { is: 'waiting', place };
  if (!canSync(connection, email)) return { is: 'asking', place };
  if (attached?.failure !== undefined) return { is: 'failed', place, error: attached.failure };
  if (attached?.status === undefined) return { is: 'waiting', place };
  return { is: 'syncing', place, status: attached.status };
}

/** Returns whether this user agreed to sync with the connection's ledger. */
export const canSync = ({ localName, endpoint }: Connection, email: string): boolean =>
  isAgreed(localName, endpoint, email);

export type StandingIcon = 'device' | 'check' | 'up' | 'down' | 'busy' | 'offline' | 'warning';

export interface StandingText {
  readonly word: string;
  readonly icon: StandingIcon;
  /** A sentence that explains the word, if it needs one. */
  readonly why?: string | undefined;
}

const NO_SYNC = 'Not connected';

/** Returns one word and one icon for a standing. */
export function describeStanding(standing: Standing): StandingText {
  switch (standing.is) {
    case 'local':
      return { word: 'Local only', icon: 'device' };
    case 'malformed':
      return { word: NO_SYNC, icon: 'warning', why: standing.problem };
    case 'elsewhere':
      return { word: NO_SYNC, icon: 'warning', why: elsewhereText(standing.host) };
    case 'asking':
      return { word: NO_SYNC, icon: 'device', why: 'Open the database to confirm the connection.' };
    case 'signed-out':
      return { word: 'Signed out', icon: 'offline', why: 'Sign in to sync this database.' };
    case 'waiting':
      return { word: 'Waiting', icon: 'busy', why: 'Syncs in a moment, or when you open the database.' };
    case 'failed':
      return isUnreachable(standing.error)
        ? { word: 'Offline', icon: 'offline', why: UNREACHABLE }
        : { word: 'Refused', icon: 'warning', why: refusalText(standing.error) };
    case 'syncing':
      return describeStatus(standing.status);
  }
}

/** Returns whether the user has no access. For the server, a deleted ledger is the same. */
export const isNoAccess = (error: unknown): boolean =>
  isFixpointError(error, 'FORBIDDEN') || isFixpointError(error, 'NOT_FOUND');

const refusalText = (error: unknown): string =>
  isNoAccess(error)
    ? 'You don’t have access to this database in the cloud, or it was deleted.'
    : failureText(error);

const counted = (count: number, what: string): string => `${count.toLocaleString('en')} ${what}`;

function describeStatus({ state, toSend, toFetch, error }: SyncStatus): StandingText {
  if (isFixpointError(error, 'DEVICE_NOT_APPROVED'))
    return { word: 'Not trusted', icon: 'warning', why: 'Approve this browser on a trusted device.' };
  const why = error === undefined ? undefined : isUnreachable(error) ? UNREACHABLE : refusalText(error);
  switch (state) {
    case 'in-sync':
      return { word: 'In sync', icon: 'check' };
    case 'refused':
      return { word: 'Refused', icon: 'warning', why };
    case 'store-lost':
      return { word: 'Removed', icon: 'warning', why };
    case 'offline':
      return {
        word: 'Offline',
        icon: 'offline',
        why: toSend > 0 ? `${counted(toSend, 'to send')}. ${why ?? ''}`.trim() : why,
      };
    default:
      if (toSend > 0) return { word: counted(toSend, 'to send'), icon: 'up', why };
      if (toFetch > 0) return { word: counted(toFetch, 'to fetch'), icon: 'down', why };
      return { word: 'Connecting', icon: 'busy', why };
  }
}

const elsewhereText = (host: string): string =>
  `The endpoint names another server, ${host}. The console can sync only with the server that it was loaded from.`;
