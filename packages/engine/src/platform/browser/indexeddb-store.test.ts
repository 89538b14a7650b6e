import 'fake-indexeddb/auto';
import type { FixpointError } from '@fixpoint/protocol';
import { forceCloseDatabase } from 'fake-indexeddb';
import { describe, expect, test, vi } from 'vitest';
import type { ByteStore } from '../../ports/byte-store.ts';
import { byteStoreSuite } from '../../testing/adapter-suites.ts';
import { deleteDatabase } from './indexeddb-removal.ts';
import { OPFS_KEY, openIndexedDbStore } from './indexeddb-store.ts';
import { forgetWritten } from './written-mark.ts';

let places = 0;
byteStoreSuite('IndexedDB (simulated in memory)', async () => {
  const name = `fp.place-${places++}`;
  return { open: () => openIndexedDbStore(name, 'strict') };
});

/** Replaces localStorage with one in memory. */
function stubMarks(): void {
  const marks = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => marks.get(key) ?? null,
    setItem: (key: string, value: string) => void marks.set(key, value),
    removeItem: (key: string) => void marks.delete(key),
  });
}

const removeUnasked = (name: string) =>
  new Promise<void>((resolve) => {
    indexedDB.deleteDatabase(name).onsuccess = () => resolve();
  });

const ROW = { key: 'k', bytes: Uint8Array.of(1) };

/** Closes the connection the way a browser does after it removed the data. */
async function forceClose(store: ByteStore): Promise<void> {
  const asked = vi.spyOn(IDBDatabase.prototype, 'transaction');
  await store.read('k');
  const [connection] = asked.mock.contexts;
  asked.mockRestore();
  forceCloseDatabase(connection as unknown as Parameters<typeof forceCloseDatabase>[0]);
}

describe('a browser', () => {
  test('[R4] reports STORE_LOST for a database that the browser removed, but opens a new one after a destroy', async () => {
    stubMarks();
    const store = await openIndexedDbStore('fp.evicted', 'strict');
    await store.write([ROW]);
    await store.close();
    await removeUnasked('fp.evicted');
    for (let attempt = 0; attempt < 2; attempt++)
      await expect(openIndexedDbStore('fp.evicted', 'strict')).rejects.toMatchObject({ code: 'STORE_LOST' });
    await deleteDatabase('fp.evicted');
    const again = await openIndexedDbStore('fp.evicted', 'strict');
    expect(await again.keys('')).toEqual([]);
    await again.close();
  });

  test('[R9] closes the database and notifies its owner when another tab destroys the database', async () => {
    stubMarks();
    const [here, there] = [
      await openIndexedDbStore('fp.two', 'strict'),
      await openIndexedDbStore('fp.two', 'strict'),
    ];
    await here.write([ROW]);
    const closed = new Promise<FixpointError>((resolve) => here.onClosed?.(resolve));
    await there.destroy();
    expect(await closed).toMatchObject({ code: 'DATABASE_CLOSED' });
    await expect(here.read('k')).rejects.toMatchObject({ code: 'DATABASE_CLOSED' });
    await expect(here.write([ROW])).rejects.toMatchObject({ code: 'DATABASE_CLOSED' });
  });

  /** Stubs the locks that a secure page has. `held` lists the locks that are held. */
  const stubLocks = (held: readonly { name: string }[] = []) => {
    const request = async (_: string, __: object, work: () => Promise<unknown>) => work();
    vi.stubGlobal('navigator', { locks: { request, query: async () => ({ held }) } });
  };
  const closedBy = (store: ByteStore) => new Promise<FixpointError>((resolve) => store.onClosed?.(resolve));

  test.each([
    ['closes the connection', (store: ByteStore) => forceClose(store)],
    ['deletes the database', () => removeUnasked('fp.lost')],
  ])('[R3] reports STORE_LOST to owner and callers when the browser %s by itself', async (_, remove) => {
    stubMarks();
    stubLocks();
    const store = await openIndexedDbStore('fp.lost', 'strict');
    await store.write([ROW]);
    const closed = closedBy(store);
    await remove(store);
    expect(await closed).toMatchObject({ code: 'STORE_LOST' });
    await expect(store.read('k')).rejects.toMatchObject({ code: 'STORE_LOST' });
    await expect(store.write([ROW])).rejects.toMatchObject({ code: 'STORE_LOST' });
    await deleteDatabase('fp.lost');
  });

  test.each([
    ['a read of a row', (store: ByteStore) => store.read('k')],
    ['a read of several rows', (store: ByteStore) => store.readPrefix('k')],
    ['a conditional write', (store: ByteStore) => store.write([ROW], ROW)],
  ])('[R3] detects with %s that the browser silently emptied the database', async (_, use) => {
    stubMarks();
    const store = await openIndexedDbStore('fp.emptied', 'strict');
    await store.write([ROW]);
    const other = await openIndexedDbStore('fp.emptied', 'strict');
    await other.write([{ key: 'k', bytes: undefined }]);
    await other.close();
    const closed = closedBy(store);
    await expect(use(store)).rejects.toMatchObject({ code: 'STORE_LOST' });
    expect(await closed).toMatchObject({ code: 'STORE_LOST' });
    await deleteDatabase('fp.emptied');
  });

  test('[R4] remembers that a database of an earlier version has content, so that its later loss is noticed', async () => {
    stubMarks();
    const store = await openIndexedDbStore('fp.unmarked', 'strict');
    await store.write([ROW]);
    await store.close();
    forgetWritten('fp.unmarked');
    await (await openIndexedDbStore('fp.unmarked', 'strict')).close();
    await removeUnasked('fp.unmarked');
    await expect(openIndexedDbStore('fp.unmarked', 'strict')).rejects.toMatchObject({ code: 'STORE_LOST' });
  });

  test('[R3] reports STORE_UNREADABLE with the reason when IndexedDB is missing, throws or fails', async () => {
    stubMarks();
    const refused = (cause: unknown) =>
      expect(openIndexedDbStore('fp.refused', 'strict')).rejects.toMatchObject({
        code: 'STORE_UNREADABLE',
        cause,
      });
    const denied = new DOMException('the origin is opaque', 'SecurityError');
    for (const call of ['open', 'databases'] as const) {
      const throwing = vi.spyOn(indexedDB, call).mockImplementation(() => {
        throw denied;
      });
      await refused(denied);
      throwing.mockRestore();
    }
    const failed = new DOMException('simulated', 'UnknownError');
    const failing = vi.spyOn(indexedDB, 'open').mockImplementation(() => {
      const request = { error: failed } as unknown as IDBOpenDBRequest;
      queueMicrotask(() => request.onerror?.(new Event('error')));
      return request;
    });
    await refused(failed);
    failing.mockRestore();
    vi.stubGlobal('indexedDB', undefined);
    await refused(expect.any(Error));
    vi.unstubAllGlobals();
    stubMarks();
    const store = await openIndexedDbStore('fp.refused', 'strict');
    await store.close();
  });

  test.each(['strict', 'relaxed'] as const)(
    '[R2] requests %s durability with each write',
    async (durability) => {
      stubMarks();
      const store = await openIndexedDbStore(`fp.${durability}`, durability);
      const asked = vi.spyOn(IDBDatabase.prototype, 'transaction');
      await store.write([ROW]);
      await store.write([ROW], ROW);
      expect(asked.mock.calls).toEqual(Array(2).fill(['values', 'readwrite', { durability }]));
      asked.mockRestore();
      await store.close();
    },
  );

  test('[R17] rejects a database of a newer version and leaves it unchanged', async () => {
    stubMarks();
    await new Promise<void>((resolve) => {
      const newer = indexedDB.open('fp.newer', 3);
      newer.onsuccess = () => resolve(newer.result.close());
    });
    await expect(openIndexedDbStore('fp.newer', 'strict')).rejects.toMatchObject({ code: 'FORMAT_NEWER' });
    expect((await indexedDB.databases()).find(({ name }) => name === 'fp.newer')?.version).toBe(3);
  });

  for (const [name, code] of [
    ['QuotaExceededError', 'STORE_FULL'],
    ['AbortError', 'STORE_FAILED'],
    ['UnknownError', 'STORE_FAILED'],
    ['InvalidStateError', 'STORE_FAILED'],
  ] as const)
    test(`[R3] reports ${code} when a transaction fails with ${name}, and the next write works`, async () => {
      stubMarks();
      const store = await openIndexedDbStore(`fp.${name}`, 'strict');
      await store.write([ROW]);
      const failing = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementationOnce(() => {
        throw new DOMException('simulated', name);
      });
      await expect(store.write([{ key: 'other', bytes: Uint8Array.of(2) }, ROW])).rejects.toMatchObject({
        code,
      });
      failing.mockRestore();
      expect(await store.keys('')).toEqual(['k']);
      await store.write([{ key: 'later', bytes: Uint8Array.of(3) }]);
      expect(await store.keys('')).toEqual(['k', 'later']);
      await store.close();
    });
});

describe('a tab that chooses OPFS for a new database', () => {
  const row = { key: OPFS_KEY, bytes: Uint8Array.of(1) };
  const none = { key: OPFS_KEY, bytes: undefined };

  test.each([undefined, { key: 'head', bytes: undefined }])(
    '[R9] makes a tab that has the database open in IndexedDB reject its first write',
    async (guard) => {
      const name = `fp.choice-${guard?.key}`;
      const plain = await openIndexedDbStore(name, 'strict');
      const choosing = await openIndexedDbStore(name, 'strict', true);
      expect(await choosing.write([row], none)).toBe(true);
      const write = plain.write([{ key: 'head', bytes: Uint8Array.of(2) }], guard);
      await expect(write).rejects.toMatchObject({ code: 'STORE_UNREADABLE' });
      expect(await choosing.keys('')).toEqual([OPFS_KEY]);
      await choosing.destroy();
    },
  );

  test('[R9] uses IndexedDB if another tab wrote there first', async () => {
    const plain = await openIndexedDbStore('fp.choice', 'strict');
    const choosing = await openIndexedDbStore('fp.choice', 'strict', true);
    await plain.write([{ key: 'head', bytes: Uint8Array.of(2) }]);
    expect(await choosing.write([row], none)).toBe(false);
    expect(await choosing.keys('')).toEqual(['head']);
    await choosing.destroy();
  });
});
