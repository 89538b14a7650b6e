import { expect, test } from 'vitest';
import { simulatedDisk } from '../../testing/simulated-disk.ts';
import { fileReserve } from './file-reserve.ts';

const PIECE = 196_608;

async function reserveOnDisk() {
  const disk = simulatedDisk();
  await disk.files.makeFolder('/db');
  let needed = 0;
  const place = fileReserve(disk.files, '/db/reserve', () => needed);
  return {
    disk,
    place,
    need: (bytes: number) => {
      needed = bytes;
    },
    size: () => disk.content().get('/db/reserve')?.length,
  };
}

test('takes one more piece than needed, up to 40 pieces; checks again after 128 kB, and releases all pieces', async () => {
  const { place, need, size } = await reserveOnDisk();
  expect(await place.take(0)).toBe(131_072);
  expect(size()).toBe(PIECE);
  need(PIECE + 1);
  expect(await place.take(200_000)).toBe(331_072);
  expect(size()).toBe(3 * PIECE);
  need(100_000_000);
  await place.take(0);
  expect(size()).toBe(40 * PIECE);
  await place.giveUp();
  expect(size()).toBeUndefined();
});

test('keeps needed pieces of an earlier process and one spare piece, and releases the rest', async () => {
  const { place, need, size } = await reserveOnDisk();
  need(4 * PIECE);
  await place.take(0);
  expect(size()).toBe(5 * PIECE);
  need(3 * PIECE);
  await place.take(0);
  expect(size()).toBe(5 * PIECE);
  need(0);
  await place.take(0);
  expect(size()).toBe(2 * PIECE);
});

test('keeps the pieces that exist when there is no space for one more', async () => {
  const { disk, place, need, size } = await reserveOnDisk();
  await place.take(0);
  disk.limit(PIECE + 100_000);
  need(1);
  await expect(place.take(0)).rejects.toMatchObject({ code: 'STORE_FULL' });
  expect(size()).toBe(PIECE);
});
