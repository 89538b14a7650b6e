import 'fake-indexeddb/auto';
import { describe, expect, test } from 'vitest';
import type { ByteStore } from '../../ports/byte-store.ts';
import { OBJECT_STORE, openIndexedDbStore, openOwnDatabase } from './indexeddb-store.ts';
import { completed, resultOf } from './transaction.ts';

const LONG = 280_000;
const filled = (fill: number, length = LONG) => new Uint8Array(length).fill(fill);

let names = 0;
/** Opens a store, and gives access to its rows in IndexedDB. */
async function opened() {
  const name = `fp.parts-${names++}`;
  const store = await openIndexedDbStore(name, 'strict');
  const raw = async <T>(work: (values: IDBObjectStore) => T): Promise<T> => {
    const database = await openOwnDatabase(name);
    const transaction = database.transaction(OBJECT_STORE, 'readwrite');
    const result = work(transaction.objectStore(OBJECT_STORE));
    await completed(transaction);
    database.close();
    return result;
  };
  const keys = () => raw((values) => resultOf(values.getAllKeys()));
  return { store, raw, keys };
}

const write = (store: ByteStore, key: string, bytes: Uint8Array | undefined, inParts = true) =>
  store.write([{ key, bytes, inParts }]);

describe('a long archive', () => {
  test('[R17] is stored as its length and parts of 128 kB if it should be; other rows are single values', async () => {
    const { store, raw, keys } = await opened();
    await write(store, 'car/a', filled(1));
    await write(store, 'car/b', filled(2), false);
    await write(store, 'file/a', filled(3));
    expect(await keys()).toEqual([
      'car/a',
      'car/b',
      'file/a',
      ['car/a', 0],
      ['car/a', 131_072],
      ['car/a', 262_144],
    ]);
    const found = await raw((values) => resultOf(values.getAll()));
    expect(found.map((value) => (value instanceof Uint8Array ? value.length : [value]))).toEqual([
      [LONG],
      LONG,
      LONG,
      131_072,
      131_072,
      LONG - 262_144,
    ]);
    await store.close();
  });

  test('[R17] is read, compared, replaced and removed if an earlier version stored it as one value', async () => {
    const { store, raw, keys } = await opened();
    await raw((values) => values.put(filled(1), 'car/a'));
    expect(Buffer.compare((await store.read('car/a')) ?? filled(0), filled(1))).toBe(0);
    // Reading a part would cost as much as the whole value.
    expect(await store.readPart?.('car/a', 0, 10)).toBeUndefined();
    const next = [{ key: 'car/a', bytes: filled(2), inParts: true }];
    expect(await store.write(next, { key: 'car/a', bytes: filled(3) })).toBe(false);
    expect(await store.write(next, { key: 'car/a', bytes: filled(1) })).toBe(true);
    expect(await keys()).toHaveLength(4);
    await write(store, 'car/a', undefined);
    expect(await keys()).toEqual([]);
    await store.close();
  });

  test('is compared as a whole with the guard of a write', async () => {
    const { store } = await opened();
    await write(store, 'car/a', filled(1));
    const other = filled(1);
    other[LONG - 1] = 2;
    const next = [{ key: 'car/a', bytes: other }];
    expect(await store.write(next, { key: 'car/a', bytes: other })).toBe(false);
    expect((await store.read('car/a'))?.at(-1)).toBe(1);
    expect(await store.write(next, { key: 'car/a', bytes: filled(1) })).toBe(true);
    expect((await store.read('car/a'))?.at(-1)).toBe(2);
    await store.close();
  });

  test.each<readonly [string, (values: IDBObjectStore) => unknown]>([
    ['is missing', (values: IDBObjectStore) => values.delete(['car/a', 131_072])],
    ['is not bytes', (values: IDBObjectStore) => values.put('text', ['car/a', 0])],
  ])('[R4] is reported as CORRUPT if a part %s, also as the guard of a write', async (_, damage) => {
    const { store, raw } = await opened();
    await write(store, 'car/a', filled(1));
    await raw(damage);
    await expect(store.read('car/a')).rejects.toMatchObject({ code: 'CORRUPT' });
    await expect(store.readPrefix('car/')).rejects.toMatchObject({ code: 'CORRUPT' });
    const guarded = store.write([{ key: 'k', bytes: filled(1, 1) }], { key: 'car/a', bytes: filled(1) });
    await expect(guarded).rejects.toMatchObject({ code: 'CORRUPT' });
    expect(await store.read('k')).toBeUndefined();
    await store.close();
  });
});

describe('a write that removes many long archives', () => {
  const many = Array.from({ length: 20 }, (_, n) => `car/${String(n).padStart(2, '0')}`);
  const isPart = (key: IDBValidKey) => Array.isArray(key);

  async function removedMany() {
    const { store, keys } = await opened();
    for (const key of [...many, 'car/kept']) await write(store, key, filled(1));
    await store.write(many.map((key) => ({ key, bytes: undefined })));
    return { store, keys };
  }

  test('[R11] leaves their parts until the store is shrunk, and reads none of them', async () => {
    const { store, keys } = await removedMany();
    expect((await keys()).filter(isPart)).toHaveLength(3 * 21);
    expect([await store.keys(''), await store.read('car/03')]).toEqual([['car/kept'], undefined]);
    await store.shrink?.();
    expect(await keys()).toEqual(['car/kept', ...[0, 131_072, 262_144].map((at) => ['car/kept', at])]);
    expect((await store.read('car/kept'))?.length).toBe(LONG);
    await store.close();
  });

  test('[R8] keeps the parts of an archive that is written again, before or while the store is shrunk', async () => {
    const { store, keys } = await removedMany();
    await write(store, 'car/03', filled(5, 400_000));
    const shrinking = store.shrink?.();
    await write(store, 'car/19', filled(6));
    await shrinking;
    for (const [key, bytes] of [
      ['car/03', filled(5, 400_000)],
      ['car/19', filled(6)],
    ] as const)
      expect(Buffer.compare((await store.read(key)) ?? filled(0), bytes)).toBe(0);
    expect((await keys()).filter(isPart)).toHaveLength(3 + 4 + 3);
    await store.close();
  });
});
