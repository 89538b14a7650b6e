import { expect, test } from 'vitest';
import { openMemoryDatabase } from '../../admin/memory-database.fixture.ts';
import { setQuota, usageOf } from '../../tables/operators/object-sizes.ts';
import { createStorageCount, sizeText } from './storage-count.ts';

const PATH = 't/l/car/a';

async function opened(maxBytes: number) {
  const db = await openMemoryDatabase();
  const sizes = new Map<string, number>();
  const count = createStorageCount(db, { bytesAt: async (path) => sizes.get(path) ?? 0 });
  await setQuota(db, 't', maxBytes);
  return { db, sizes, count };
}

test('admits uploads up to the quota, including those that are running', async () => {
  const { count } = await opened(100);
  const first = await count.admit(PATH, 60);
  expect(first.refused).toBeUndefined();
  const second = await count.admit('t/l/car/b', 41);
  expect(second.refused).toMatch(/^this tenant stores 0 bytes of 100 bytes, and an upload of 41 bytes/);
  second.end();
  expect((await count.admit('t/l/car/b', 40)).refused).toBeUndefined();
  expect((await count.admit('other/l/car/b', 1_000_000)).refused).toBeUndefined();
  first.end();
  expect((await count.admit('t/l/car/c', 60)).refused).toBeUndefined();
});

test('never admits more than the quota to 24 callers at once', async () => {
  const { count } = await opened(100);
  const all = await Promise.all(Array.from({ length: 24 }, (_none, n) => count.admit(`t/l/car/${n}`, 10)));
  expect(all.filter(({ refused }) => refused === undefined).length).toBeLessThanOrEqual(10);
});

test('tells how many bytes of the object are counted, so that lost objects can be replaced', async () => {
  const { count, sizes, db } = await opened(100);
  sizes.set(PATH, 90);
  await count.counted(PATH, 90, true);
  expect(await count.admit(PATH, 90)).toMatchObject({ countedBytes: 90, refused: expect.any(String) });
  sizes.delete(PATH);
  await count.removed(PATH);
  expect(await usageOf(db, 't')).toEqual({ bytes: 0, maxBytes: 100 });
});

test('counts an object whose first upload was stored but not counted', async () => {
  const { count, sizes, db } = await opened(100);
  sizes.set(PATH, 30);
  await count.counted(PATH, 30, false);
  await count.counted(PATH, 30, false);
  expect((await usageOf(db, 't')).bytes).toBe(30);
});

test.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1000, '1 kB'],
  [1_250_000, '1.3 MB'],
  [912_400_000, '912 MB'],
  [2_000_000_000_000, '2 TB'],
])('writes %d bytes as %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});
