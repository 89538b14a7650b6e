import { expect, test } from 'vitest';
import { simulatedDisk } from '../../testing/simulated-disk.ts';
import { fileReserve } from './reserve.ts';

const PIECE = 196_608;

async function reserveOnDisk() {
  const disk = simulatedDisk();
  await disk.files.makeFolder('/db');
  const place = fileReserve(disk.files, '/db/reserve');
  return { disk, place, size: () => disk.content().get('/db/reserve')?.length };
}

test('takes a piece more for each 2 MB that are written, up to four, and gives all of them up', async () => {
  const { place, size } = await reserveOnDisk();
  expect(await place.take(0)).toBe(2_097_152);
  expect(size()).toBe(PIECE);
  expect(await place.take(5_000_000)).toBe(3 * 2_097_152);
  expect(size()).toBe(3 * PIECE);
  expect(await place.take(100_000_000)).toBe(Number.POSITIVE_INFINITY);
  expect(size()).toBe(4 * PIECE);
  await place.giveUp();
  expect(size()).toBeUndefined();
});

test('keeps what an earlier process took', async () => {
  const { place, size } = await reserveOnDisk();
  await place.take(5_000_000);
  expect(await place.take(0)).toBe(3 * 2_097_152);
  expect(size()).toBe(3 * PIECE);
});

test('keeps the pieces that it has when there is no space for one more', async () => {
  const { disk, place, size } = await reserveOnDisk();
  await place.take(0);
  disk.limit(PIECE + 100_000);
  await expect(place.take(2_097_152)).rejects.toMatchObject({ code: 'STORE_FULL' });
  expect(size()).toBe(PIECE);
});
