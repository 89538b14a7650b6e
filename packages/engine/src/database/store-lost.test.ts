/** Tests of an open database whose storage is removed. */
import { FixpointError } from '@fixpoint/protocol';
import { expect, test, vi } from 'vitest';
import { memoryPlatform } from '../../tests/memory-platform.fixture.ts';
import { memoryStore } from '../platform/memory-store.ts';
import type { Platform } from '../ports/platform.ts';
import type { Attached, Remote, SyncStatus } from '../sync/remote.ts';
import { openDatabase } from './open.ts';

const LOST = new FixpointError('STORE_LOST', 'removed');

/** A platform whose stores are lost when the test triggers it. */
function fragile() {
  const { platform, values } = memoryPlatform();
  let lost: FixpointError | undefined;
  const listeners = new Set<(reason: FixpointError) => void>();
  const openStore: Platform['openStore'] = async () => {
    if (lost !== undefined) throw lost;
    const store = memoryStore(values);
    const guarded = <T>(work: () => Promise<T>) => (lost === undefined ? work() : Promise.reject(lost));
    return {
      ...store,
      read: (key) => guarded(() => store.read(key)),
      write: (...given) => guarded(() => store.write(...given)),
      onClosed: (fn) => {
        listeners.add(fn);
        return () => void listeners.delete(fn);
      },
    };
  };
  const destroyStore = async () => {
    values.clear();
    lost = undefined;
  };
  const lose = () => {
    lost = LOST;
    for (const tell of listeners) tell(LOST);
  };
  return { platform: { ...platform, openStore, destroyStore }, lose };
}

function remoteInSync() {
  const detached = vi.fn(async () => undefined);
  const pending = new FixpointError('CONNECTION_NOT_OPEN');
  const attached = {
    status: (): SyncStatus => ({ state: 'in-sync', toSend: 0, toFetch: 0 }),
    onStatus: () => () => undefined,
    synced: () => Promise.reject(pending),
    held: () => Promise.reject(pending),
    detach: detached,
  } as unknown as Attached;
  return { remote: { attach: async () => attached } satisfies Remote, detached };
}

test('[R3] reports STORE_LOST to each call, status and listener when the storage is removed while the database is open', async () => {
  const { platform, lose } = fragile();
  const { remote, detached } = remoteInSync();
  const db = openDatabase('notes', platform);
  await db.put({ _id: 'a' });
  const attached = await db.attach(remote);
  const shown: SyncStatus[] = [];
  attached.onStatus((status) => shown.push(status));
  const closed = new Promise<FixpointError | undefined>((resolve) => db.onClosed(resolve));
  lose();
  expect(await closed).toBe(LOST);
  const lost = { state: 'store-lost', toSend: 0, toFetch: 0, error: LOST };
  expect(attached.status()).toEqual(lost);
  expect(shown).toEqual([lost]);
  for (const call of [
    () => db.get('a'),
    () => db.put({ _id: 'b' }),
    () => db.allDocs(),
    () => db.attach(remote),
    () => attached.synced(),
    () => attached.held(),
  ])
    await expect(call()).rejects.toBe(LOST);
  expect(detached).toHaveBeenCalled();
});

test('[R3] reports a lost database at each later open until it is destroyed, and then creates a new database', async () => {
  const { platform, lose } = fragile();
  await openDatabase('notes', platform).put({ _id: 'a' });
  lose();
  for (let attempt = 0; attempt < 2; attempt++)
    await expect
      .poll(() =>
        openDatabase('notes', platform)
          .ready()
          .catch((cause) => cause),
      )
      .toBe(LOST);
  await openDatabase('notes', platform).destroy();
  expect((await openDatabase('notes', platform).allDocs()).rows).toEqual([]);
});

test('closes without a reason when a handle closes or destroys the database', async () => {
  const { platform } = fragile();
  for (const end of ['close', 'destroy'] as const) {
    const db = openDatabase('notes', platform);
    await db.ready();
    const closed = new Promise((resolve) => db.onClosed(resolve));
    await db[end]();
    expect([end, await closed]).toEqual([end, undefined]);
    await expect(db.get('a')).rejects.toMatchObject({ code: 'DATABASE_CLOSED' });
  }
});
