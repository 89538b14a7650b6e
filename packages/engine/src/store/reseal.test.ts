import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { utf8 } from '../base/bytes.ts';
import { openDatabaseKeys } from '../crypto/database-keys.ts';
import { isSealedWith, open, seal } from '../crypto/seal.ts';
import { isRowSealedWith } from '../crypto/seal-row.ts';
import { memoryKeyBag } from '../platform/memory-platform.ts';
import { memoryStore } from '../platform/memory-store.ts';
import type { ByteStore } from '../ports/byte-store.ts';
import { seededRandom } from '../testing/seeded-random.ts';
import { resealRows } from './reseal.ts';
import { sealRows } from './sealed-rows.ts';

const random = seededRandom(5);
const plain = utf8('a row');

/**
 * Creates a store with a row and an archive that are sealed with an old key. `onRead` acts as
 * another tab after each read of a row.
 */
async function rotated(onRead: (key: string, values: Map<string, Uint8Array>) => void = () => undefined) {
  const values = new Map<string, Uint8Array>();
  const keys = await openDatabaseKeys('db', { bag: memoryKeyBag(), random, hasContent: async () => false });
  const inner = memoryStore(values);
  const store: ByteStore = {
    ...inner,
    read: async (key) => {
      const found = await inner.read(key);
      onRead(key, values);
      return found;
    },
  };
  const sealed = sealRows(store, keys, random);
  const archive = await seal(plain, keys.keys().current);
  await sealed.write([
    { key: 'car/a', bytes: archive },
    { key: 'idx/a', bytes: plain },
    { key: 'upload/a', bytes: new Uint8Array() },
  ]);
  for (let times = 0; times < 3; times++) await keys.rotate();
  return { values, keys, store, sealed, archive };
}

describe('resealing rows', () => {
  test('uses the current key, keeps the content, and deletes all older keys except one', async () => {
    const { values, keys, store, sealed } = await rotated();
    await resealRows(store, sealed, keys);
    const { current, all } = keys.keys();
    const car = values.get('car/a') ?? plain;
    expect(isSealedWith(car, current)).toBe(true);
    expect(await open(car, all)).toEqual(plain);
    expect(isRowSealedWith(values.get('idx/a') ?? plain, current)).toBe(true);
    expect(await sealed.read('idx/a')).toEqual(plain);
    expect(values.get('upload/a')).toEqual(new Uint8Array());
    expect(all.size).toBe(2);
  });

  test('keeps all keys while a ledger is known, because archives of the ledger may use any of them', async () => {
    const { keys, store, sealed } = await rotated();
    await sealed.write([{ key: 'remote/1', bytes: plain }]);
    await resealRows(store, sealed, keys);
    expect(keys.keys().all.size).toBe(4);
  });

  test('[R9] keeps all keys while another process has the database open, because that process may use any of them', async () => {
    const { keys, store, sealed } = await rotated();
    await resealRows({ ...store, isAlone: async () => false }, sealed, keys);
    expect(keys.keys().all.size).toBe(4);
    await resealRows({ ...store, isAlone: async () => true }, sealed, keys);
    expect(keys.keys().all.size).toBe(2);
  });

  test('[R4] removes damaged rows that are derived from archives, and rejects other damage', async () => {
    const damaged = async (...rows: string[]) => {
      const world = await rotated();
      for (const key of rows) {
        await world.sealed.write([{ key, bytes: plain }]);
        await world.keys.rotate();
        world.values.set(key, (world.values.get(key) as Uint8Array).with(-1, 0));
      }
      return world;
    };
    const { values, keys, store, sealed } = await damaged('local/first', 'local/places', 'local/places/a-0');
    await resealRows(store, sealed, keys);
    expect([...values.keys()].sort()).toEqual(['car/a', 'idx/a', 'upload/a']);
    for (const key of ['idx/a', 'local/placesOfMine']) {
      const other = await damaged(key);
      await expect(resealRows(other.store, other.sealed, other.keys)).rejects.toThrow(FixpointError);
    }
  });

  test('[R9] does not restore rows that another tab removes', async () => {
    const { values, keys, store, sealed } = await rotated((key, rows) => void rows.delete(key));
    await resealRows(store, sealed, keys);
    expect([...values.keys()]).toEqual([]);
  });

  test('[R9] keeps all keys while another tab writes with a previous key', async () => {
    let written = 0;
    let archiveOfOther = plain;
    const { values, keys, store, sealed, archive } = await rotated((key, rows) => {
      if (key.startsWith('car/')) rows.set(`car/b${written++}`, archiveOfOther);
    });
    archiveOfOther = archive;
    await resealRows(store, sealed, keys);
    expect(written).toBeGreaterThan(2);
    expect(keys.keys().all.size).toBe(4);
    for (const [key, bytes] of values)
      if (key.startsWith('car/')) expect(await open(bytes, keys.keys().all)).toEqual(plain);
  });
});
