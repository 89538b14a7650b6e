import { expect, test, vi } from 'vitest';
import type { LedgerKeyring } from '../crypto/ledger-keys-interface.ts';
import { liveKeyring, liveSyncStatus, sameStore } from '../entries/live.ts';
import type { Attached } from '../sync/remote.ts';

const keyringOf = (count: number): LedgerKeyring => ({
  ...{ current: 'k', count, hasRecoveryCode: true, asking: [] },
});

/** Returns an attached database, whose status and keys a test changes. */
function attachedWith() {
  const statusListeners = new Set<() => void>();
  const now = { count: 1, fails: false, looks: 0 };
  const attached = {
    onStatus: (listener: () => void) => {
      statusListeners.add(listener);
      return () => statusListeners.delete(listener);
    },
    devices: {
      keyring: async () => {
        now.looks += 1;
        if (now.fails) throw new Error('closed');
        return keyringOf(now.count);
      },
    },
    status: () => undefined,
  } as unknown as Attached;
  const turn = async () => {
    for (const tell of statusListeners) tell();
    await Promise.resolve();
  };
  return { attached, now, turn, statusListeners };
}

test('shows the keys after each change of the status, and looks at no other time', async () => {
  const { attached, now, turn, statusListeners } = attachedWith();
  const store = liveKeyring(attached);
  expect([store.current(), now.looks]).toEqual([undefined, 0]);
  const told = vi.fn();
  const stop = store.subscribe(told);
  await turn();
  const first = store.current();
  expect(first).toEqual(keyringOf(1));
  await turn();
  expect([store.current() === first, told.mock.calls.length]).toEqual([true, 1]);
  now.count = 2;
  await turn();
  expect(store.current()?.count).toBe(2);
  now.fails = true;
  await turn();
  expect([store.current()?.count, now.looks, told.mock.calls.length]).toEqual([2, 5, 2]);
  stop();
  expect(statusListeners.size).toBe(0);
});

test('shows nothing before the database is attached', async () => {
  const store = liveKeyring(undefined);
  store.subscribe(() => undefined)();
  expect(store.current()).toBeUndefined();
});

test('is one store for one attachment, and not that of its status', () => {
  const { attached } = attachedWith();
  const store = liveKeyring(attached);
  expect(sameStore(store, liveKeyring(attached))).toBe(store);
  expect(
    sameStore<{ inputs: readonly unknown[] } & typeof store>(store, liveSyncStatus(attached) as never),
  ).not.toBe(store);
});
