import 'fake-indexeddb/auto';
import { describe, expect, test, vi } from 'vitest';
import { byteStoreSuite } from '../../testing/byte-store-suite.ts';
import { deleteDatabase, openIndexedDbStore } from './indexeddb-store.ts';

let places = 0;
byteStoreSuite('IndexedDB (in memory: logic alone)', async () => {
  const name = `fp.place-${places++}`;
  return { open: () => openIndexedDbStore(name, 'strict') };
});

/** localStorage in memory. */
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

describe('a browser', () => {
  test('[R4] that removed what was stored gives CORRUPT, never an empty database; a destroyed database is a new one', async () => {
    stubMarks();
    const store = await openIndexedDbStore('fp.evicted', 'strict');
    await store.write([ROW]);
    await store.close();
    await removeUnasked('fp.evicted');
    for (let attempt = 0; attempt < 2; attempt++)
      await expect(openIndexedDbStore('fp.evicted', 'strict')).rejects.toMatchObject({ code: 'CORRUPT' });
    await deleteDatabase('fp.evicted');
    const again = await openIndexedDbStore('fp.evicted', 'strict');
    expect(await again.keys('')).toEqual([]);
    await again.close();
  });

  test('[R9] in which another tab destroys the database closes it here and says so', async () => {
    stubMarks();
    const [here, there] = [
      await openIndexedDbStore('fp.two', 'strict'),
      await openIndexedDbStore('fp.two', 'strict'),
    ];
    await here.write([ROW]);
    const closed = new Promise<void>((resolve) => here.onClosed?.(resolve));
    await there.destroy();
    await closed;
    await expect(here.read('k')).rejects.toMatchObject({ code: 'DATABASE_CLOSED' });
    await expect(here.write([ROW])).rejects.toMatchObject({ code: 'DATABASE_CLOSED' });
  });

  test('[R3] in which IndexedDB is missing, throws or fails gives STORE_UNREADABLE, and the reason', async () => {
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

  test('[R17] refuses a database of a newer version, and leaves it as it is', async () => {
    stubMarks();
    await new Promise<void>((resolve) => {
      const newer = indexedDB.open('fp.newer', 2);
      newer.onsuccess = () => resolve(newer.result.close());
    });
    await expect(openIndexedDbStore('fp.newer', 'strict')).rejects.toMatchObject({ code: 'FORMAT_NEWER' });
    expect((await indexedDB.databases()).find(({ name }) => name === 'fp.newer')?.version).toBe(2);
  });

  for (const [name, code] of [
    ['QuotaExceededError', 'STORE_FULL'],
    ['AbortError', 'STORE_FAILED'],
    ['UnknownError', 'STORE_FAILED'],
    ['InvalidStateError', 'STORE_FAILED'],
  ] as const)
    test(`[R3] that fails a transaction with ${name} gives ${code}, and the next write works`, async () => {
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
