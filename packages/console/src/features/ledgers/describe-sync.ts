import type { SyncStatus } from 'fixpoint';

/** The state in words; with a number wherever something is left to do, so that "fine" is never shown for what is stuck. */
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
