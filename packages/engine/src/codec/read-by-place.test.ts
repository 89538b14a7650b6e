import { describe, expect, test } from 'vitest';
import { seededRandom } from '../testing/seeded-random.ts';
import { type Block, blockOf, type ReadBlocks } from './block.ts';
import type { Cid } from './cid.ts';
import { orderByPlace, readByPlace } from './read-by-place.ts';

const PER_ARCHIVE = 400;

/** Keeps blocks in archives, and lists the archives in the order in which they are read. */
function archivesOf(count: number) {
  const blocks = Array.from({ length: count }, (_, at): Block => blockOf(Uint8Array.of(at >> 8, at & 255)));
  const at = new Map<Cid, number>(blocks.map(({ cid }, index) => [cid, index]));
  const archiveOf = (cid: Cid) => Math.floor((at.get(cid) as number) / PER_ARCHIVE);
  const opened: number[] = [];
  const read: ReadBlocks = async (cids) => {
    opened.push(...new Set(cids.map(archiveOf)));
    return cids.map((cid) => blocks[at.get(cid) as number]?.bytes as Uint8Array);
  };
  read.placesOf = async (cids) => Float64Array.from(cids, (cid) => at.get(cid as Cid) as number);
  return { blocks, read, opened };
}

/** Returns the items in an order that depends only on the seed. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  const random = seededRandom(seed);
  const keys = items.map(() => random.bytes(4).reduce((sum, byte) => sum * 256 + byte, 0));
  return Array.from(items.keys())
    .sort((a, b) => (keys[a] as number) - (keys[b] as number))
    .map((index) => items[index] as T);
}

describe('reading many blocks', () => {
  test('opens each archive in at most two batches, and returns the blocks in the given order', async () => {
    const { blocks, read, opened } = archivesOf(4000);
    const wanted = shuffled(blocks, 1);
    const found = await readByPlace(
      read,
      wanted.map(({ cid }) => cid),
      (bytes, at) => [bytes, wanted[at]?.cid] as const,
    );
    expect(found).toEqual(wanted.map(({ bytes, cid }) => [bytes, cid]));
    for (let archive = 0; archive < 4000 / PER_ARCHIVE; archive++) {
      const times = opened.filter((one) => one === archive).length;
      expect(times).toBeGreaterThan(0);
      expect(times).toBeLessThanOrEqual(2);
    }
  });

  test('lets other work run while it sorts very many blocks by archive and place', async () => {
    const { blocks, read } = archivesOf(9000);
    const wanted = shuffled(blocks, 4).map(({ cid }) => cid);
    const at = new Map(blocks.map(({ cid }, place) => [cid, place]));
    const placesOf = async (cids: readonly (Cid | undefined)[]) =>
      Float64Array.from(cids, (cid) => {
        const place = at.get(cid as Cid) as number;
        return Math.floor(place / PER_ARCHIVE) * 2 ** 32 + (place % PER_ARCHIVE);
      });
    let rests = 0;
    const order = await orderByPlace(Object.assign(read, { placesOf }), wanted, async () => void rests++);
    expect(order.map((index) => at.get(wanted[index] as Cid))).toEqual(Array.from(at.values()));
    // Two rests between three look-ups, and one before each of 23 archives.
    expect(rests).toBe(25);
  });

  test('[R11] lets other work run between batches', async () => {
    const { blocks, read } = archivesOf(1600);
    let rests = 0;
    await readByPlace(
      read,
      blocks.map(({ cid }) => cid),
      () => undefined,
      async () => {
        rests++;
      },
    );
    expect(rests).toBe(3);
  });

  test('reads blocks in the given order if their places make no difference', async () => {
    const { blocks, read } = archivesOf(1200);
    const wanted = shuffled(blocks, 3).map(({ cid }) => cid);
    const asked: Cid[] = [];
    const known: ReadBlocks = (cids) => {
      asked.push(...cids);
      return read(cids);
    };
    known.placesOf = async () => undefined;
    await readByPlace(known, wanted, (bytes) => bytes);
    expect(asked).toEqual(wanted);
  });

  test('returns blocks in the given order when their places are unknown', async () => {
    const { blocks, read } = archivesOf(1200);
    const wanted = shuffled(blocks, 2);
    const unplaced: ReadBlocks = (cids) => read(cids);
    const found = await readByPlace(
      unplaced,
      wanted.map(({ cid }) => cid),
      (bytes) => bytes,
    );
    expect(found).toEqual(wanted.map(({ bytes }) => bytes));
  });
});
