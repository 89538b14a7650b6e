import { LIMITS } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { long } from '../../tests/budget.fixture.ts';
import { encodeBlockIndex } from '../archive/block-index.ts';
import { packBlocks } from '../archive/pack.ts';
import { blockOf } from '../codec/block.ts';
import { RAW } from '../codec/cid.ts';
import { NO_KEYS } from '../crypto/keys.ts';
import { memoryStore } from '../platform/memory-store.ts';
import { Archives } from './archives.ts';
import { archiveKey } from './names.ts';

/**
 * Creates a store of archives with one block each. `read` lists the archives that were read, in
 * order.
 */
function storeOf(count: number, bytes: number) {
  const values = new Map<string, Uint8Array>();
  const read: number[] = [];
  const all = Array.from({ length: count }, (_, at) => {
    const block = blockOf(new Uint8Array(bytes).fill(at).fill(at >> 8, 0, 1), RAW);
    const archive = packBlocks(block.cid, [block]);
    values.set(archiveKey(archive.cid), archive.bytes);
    return archive;
  });
  const places = new Map(all.map(({ cid }, at) => [archiveKey(cid), at]));
  const inner = memoryStore(values);
  const store = {
    ...inner,
    read: (key: string) => {
      read.push(places.get(key) as number);
      return inner.read(key);
    },
  };
  const archivesOf = (kept?: number, learned = count) => {
    const archives = new Archives(store, { keys: () => NO_KEYS }, kept);
    for (const { cid, blocks, bytes: car } of all.slice(0, learned))
      archives.learn(cid, encodeBlockIndex(blocks, car));
    return archives;
  };
  const opened = (kept?: number) => {
    const archives = archivesOf(kept);
    return async (at: number) => archives.readArchive(all[at]?.cid ?? ('' as never));
  };
  return { read, opened, archivesOf, all };
}

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);

describe('opened archives in memory', () => {
  test('keeps 500 to 1,000 archives by default', async () => {
    expect(LIMITS.archivesKeptMax).toBe(1000);
    const count = 1200;
    const { read, opened } = storeOf(count, 60);
    const open = opened();
    for (const at of numbers(count)) await open(at);
    read.length = 0;
    for (const at of numbers(count).slice(-500)) await open(at);
    expect(read).toEqual([]);
    for (const at of numbers(count - 1000)) await open(at);
    expect(read).toEqual(numbers(count - 1000));
  });

  test.each([2, 3, 10, 100])('keeps at most %i archives if that is the limit', async (kept) => {
    const { read, opened } = storeOf(kept * 3, 60);
    const open = opened(kept);
    for (const at of numbers(kept * 3)) await open(at);
    read.length = 0;
    for (const at of numbers(kept * 3).toReversed()) await open(at);
    expect(read.length).toBeGreaterThanOrEqual(kept * 2);
    expect(read.length).toBeLessThanOrEqual(Math.ceil(kept * 2.5) + 1);
    expect(read).not.toContain(kept * 3 - 1);
  });

  test('keeps at most 32 MB of archives, whatever the limit', long, async () => {
    const { read, opened } = storeOf(40, 2_000_000);
    const open = opened(1_000_000);
    for (const at of numbers(40)) await open(at);
    read.length = 0;
    for (const at of numbers(24)) await open(at);
    expect(read).toEqual(numbers(24));
  });
});

describe('a new long archive', () => {
  test.each([
    ['as one value while all archives fit in memory', 10, false],
    ['in parts when they no longer fit', 11, true],
  ])('is stored %s', async (_, learned, inParts) => {
    const { archivesOf, all } = storeOf(12, 3_000_000);
    const [first, last] = [all[0], all[11]];
    const [row] = await archivesOf(undefined, learned).changesFor(last === undefined ? [] : [last]);
    expect(row).toMatchObject({ key: archiveKey(last?.cid ?? ('' as never)), inParts });
    const short = packBlocks(first?.cid ?? ('' as never), [blockOf(new Uint8Array(200_000), RAW)]);
    expect((await archivesOf(undefined, learned).changesFor([short]))[0]).toMatchObject({ inParts: false });
  });
});
