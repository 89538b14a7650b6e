import type { SyncStatus } from 'fixpoint';

/**
 * Returns the sync state in words. Pending work always has a number, so a stuck sync never looks
 * complete.
 */
export function describeSync({
  state,
  toSend,
  toFetch,
}: Pick<SyncStatus, 'state' | 'toSend' | 'toFetch'>): string {
  const left = [toSend > 0 && `${toSend} to send`, toFetch > 0 && `${toFetch} to fetch`]
    .filter(Boolean)
    .join(', ');
  switch (state) {
    case 'offline':
      return left === '' ? 'Offline' : `Offline, ${left}`;
    case 'connecting':
      return left === '' ? 'Connecting' : `Connecting, ${left}`;
    case 'catching-up':
      return left === '' ? 'Catching up' : `Catching up, ${left}`;
    case 'in-sync':
      return 'In sync';
    case 'refused':
      return left === '' ? 'Refused' : `Refused, ${left}`;
    case 'store-lost':
      return 'Not on this device';
  }
}
