import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { beforeEach, expect, test, vi } from 'vitest';
import { indexedDbReserve, reserveName } from './indexeddb-reserve.ts';
import { completed, openOf, resultOf } from './transaction.ts';

beforeEach(() => {
  vi.stubGlobal('indexedDB', new IDBFactory());
  vi.stubGlobal('IDBKeyRange', IDBKeyRange);
});

const records = async (mode: IDBTransactionMode) => {
  const database = await openOf(reserveName('fixpoint.a'), 'reserve');
  return database.transaction('reserve', mode).objectStore('reserve');
};

/** Returns the number of bytes under each key. */
async function sizes(): Promise<Record<string, number>> {
  const found = await records('readonly');
  const keys = await resultOf(found.getAllKeys());
  const values: Uint8Array[] = await resultOf(found.getAll());
  found.transaction.db.close();
  return Object.fromEntries(keys.map((key, at) => [String(key), values[at]?.length ?? 0]));
}

async function putOfEarlierVersion(kind: string): Promise<void> {
  const found = await records('readwrite');
  found.put(new Uint8Array(196_608), kind);
  await completed(found.transaction);
  found.transaction.db.close();
}

const forDeletes = indexedDbReserve('fixpoint.a', 'forDeletes');
const forCompaction = indexedDbReserve('fixpoint.a', 'forCompaction');

test('takes each kind of reserve once, and releases each kind separately', async () => {
  for (const place of [forDeletes, forCompaction, forDeletes]) await place.take(0);
  expect(await sizes()).toEqual({ 'forCompaction:524288:0': 524_288, 'forDeletes:524288:0': 524_288 });
  await forDeletes.giveUp();
  expect(await sizes()).toEqual({ 'forCompaction:524288:0': 524_288 });
});

test('replaces the reserve of an earlier version when taking a reserve, and removes it when releasing one', async () => {
  await putOfEarlierVersion('forDeletes');
  await putOfEarlierVersion('forCompaction');
  await forDeletes.take(0);
  await forCompaction.giveUp();
  expect(await sizes()).toEqual({ 'forDeletes:524288:0': 524_288 });
});

test('takes one more piece for each written MB, up to nine pieces, and releases all of them', async () => {
  await forDeletes.take(0);
  expect(await forDeletes.take(2_500_000)).toBe(3 * 2 * 524_288);
  expect(Object.keys(await sizes())).toEqual([0, 1, 2].map((at) => `forDeletes:524288:${at}`));
  expect(await forDeletes.take(100_000_000)).toBe(Number.POSITIVE_INFINITY);
  expect(Object.values(await sizes())).toEqual(new Array(9).fill(524_288));
  await forDeletes.giveUp();
  expect(await sizes()).toEqual({});
});

test('leaves nothing behind after a probe', async () => {
  await forCompaction.probe?.(1000);
  expect(await sizes()).toEqual({});
});
