import { act } from '@testing-library/react';
import type { Attached, SyncStatus } from 'fixpoint';

export interface AttachedGiven extends Partial<Omit<Attached, 'devices'>> {
  readonly devices?: Partial<Attached['devices']>;
  /** The first status. */
  readonly first?: Partial<SyncStatus>;
}

/** Returns a database attached to a sealed ledger, and a function that changes its status. */
export function attachedWith({ devices, first, ...given }: AttachedGiven = {}) {
  let status: SyncStatus = { state: 'in-sync', toSend: 0, toFetch: 0, ...first };
  const listeners = new Set<(status: SyncStatus) => void>();
  const attached = {
    status: () => status,
    onStatus: (listener: (status: SyncStatus) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    kind: () => 'sealed',
    devices: { isApproved: () => true, keyring: async () => undefined, ...devices },
    ...given,
  } as unknown as Attached;
  const become = (next: Partial<SyncStatus>) =>
    act(async () => {
      status = { ...status, ...next };
      for (const listener of listeners) listener(status);
    });
  return { attached, become };
}
