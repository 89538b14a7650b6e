/** Describes the sync with the cloud: one word, one icon, and the reason. */
import { ERROR_TEXT, isFixpointError } from '@fixpoint/protocol';
import type { SyncStatus } from 'fixpoint';
import { isUnreachable } from '../../cloud/ledgers/attached-databases.ts';
import { failureText, UNREACHABLE } from '../../ui/text/failure-text.ts';

export type SyncIconName = 'device' | 'check' | 'up' | 'down' | 'sync' | 'busy' | 'offline' | 'warning';

export interface SyncText {
  readonly word: string;
  readonly icon: SyncIconName;
  /** A sentence that explains the word, if it needs one. */
  readonly why?: string | undefined;
}

/** Returns whether the user has no access. For the server, a deleted ledger is the same. */
export const isNoAccess = (error: unknown): boolean => isFixpointError(error, 'NOT_FOUND');

/**
 * Returns whether the user may read the ledger, but not write to it. Other refusals with this code
 * have details.
 */
export const isReadOnly = (error: unknown): boolean =>
  isFixpointError(error, 'FORBIDDEN') && error.message === ERROR_TEXT.FORBIDDEN;

/** Returns why a sync fails. */
export function syncProblem(error: unknown): string {
  if (isUnreachable(error)) return UNREACHABLE;
  if (isNoAccess(error)) return 'You don’t have access to this database in the cloud, or it was deleted.';
  return isReadOnly(error)
    ? 'You can read this database in the cloud, but not write to it.'
    : failureText(error);
}

/** Describes a database that couldn't be attached. */
export const describeFailure = (error: unknown): SyncText =>
  isUnreachable(error)
    ? { word: 'Offline', icon: 'offline', why: UNREACHABLE }
    : { word: 'Refused', icon: 'warning', why: syncProblem(error) };

const counted = (count: number, what: string): string => `${count.toLocaleString('en')} ${what}`;

/** Returns the changes that wait, as the first sentence of a reason. */
export const waitingText = (toSend = 0): string => (toSend > 0 ? `${counted(toSend, 'to send')}. ` : '');

/**
 * Describes a status.
 * @param part the completed part of a first sync, from 0 to 1
 */
export function describeSync({ state, toSend, toFetch, error }: SyncStatus, part?: number): SyncText {
  if (isFixpointError(error, 'DEVICE_NOT_APPROVED'))
    return { word: 'Not trusted', icon: 'warning', why: 'Approve this browser on a trusted device.' };
  const why = error === undefined ? undefined : syncProblem(error);
  const waiting = `${waitingText(toSend)}${why ?? ''}`.trim() || undefined;
  switch (state) {
    case 'in-sync':
      return { word: 'In sync', icon: 'check' };
    case 'refused':
      return { word: 'Refused', icon: 'warning', why: waiting };
    case 'store-lost':
      return { word: 'Removed', icon: 'warning', why };
    case 'offline':
      return { word: 'Offline', icon: 'offline', why: waiting };
    default:
      if (part !== undefined) return { word: `${Math.floor(part * 100)}%`, icon: 'sync', why: waiting };
      if (toSend > 0) return { word: counted(toSend, 'to send'), icon: 'up', why };
      if (toFetch > 0) return { word: counted(toFetch, 'to fetch'), icon: 'down', why };
      return { word: 'Connecting', icon: 'busy', why };
  }
}
