import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { Lru } from '../base/lru.ts';
import type { ReadBlocks } from '../codec/block.ts';
import { type Cid, cidOf, RAW } from '../codec/cid.ts';
import { putMany } from './put-many.ts';
import { type Shard, shardReader } from './shard.ts';
import { trieStore } from './trie.fixture.ts';
import { walkLevels } from './walk-levels.ts';

const COUNT = 4000;
const PUTS = Array.from({ length: COUNT }, (_, at): [string, Cid] => {
  const bytes = Uint8Array.of(at >> 8, at & 255);
  return [cidOf(RAW, bytes).slice(-8), cidOf(RAW, bytes)];
});

/** Builds a trie. `places` are the numbers by which its blocks are stored. */
async function built() {
  const store = trieStore();
  const { root, added } = await putMany(store.read, undefined, PUTS);
  const blocks = new Map(added.map(({ cid, bytes }) => [cid, bytes]));
  const places = new Map(added.map(({ cid }, at) => [cid, (at * 7919) % added.length]));
  const reads: (readonly Cid[])[] = [];
  const one = async (cid: Cid) => blocks.get(cid) ?? Promise.reject(new FixpointError('MISSING_BLOCK', cid));
  const many: ReadBlocks = async (cids) => {
    reads.push(cids);
    return Promise.all(cids.map(one));
  };
  many.placesOf = async (cids) => Float64Array.from(cids, (cid) => places.get(cid as Cid) ?? 0);
  const read = shardReader(one, new Lru<Cid, Shard>(1_000_000), many);
  return { root, blocks, places, reads, read, one };
}

/** Walks through a whole trie, and reads each shard once. */
async function walked(read: Parameters<typeof walkLevels>[0], root: Cid | undefined) {
  const links = new Set<Cid>();
  const found: Shard[] = [];
  const isNew = (cid: Cid) => !links.has(cid) && links.add(cid).size > 0;
  for await (const shards of walkLevels(read, root, isNew)) found.push(...shards);
  return { links, found };
}

const valuesOf = (shards: readonly Shard[]) =>
  shards.flatMap(({ entries }) => entries.flatMap(({ value }) => value ?? [])).sort();
const ALL_VALUES = PUTS.map(([, value]) => value).sort();

describe('a walk level by level', () => {
  test('reaches all shards once, each level in the order of the places', async () => {
    const { root, blocks, places, reads, read } = await built();
    const { links, found } = await walked(read, root);
    expect(valuesOf(found)).toEqual(ALL_VALUES);
    expect([links.size, reads.flat().length]).toEqual([blocks.size, blocks.size]);
    const lengths = found.map(({ prefix }) => prefix.length);
    expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
    // At most 500 shards are read in one call, in any order.
    const order = reads.flat().map((cid) => places.get(cid) as number);
    const large = [...new Set(lengths)].map((length) => order.filter((_, at) => lengths[at] === length));
    const sorted = large.filter((level) => level.length > 500);
    expect(sorted.length).toBeGreaterThan(0);
    for (const level of sorted) expect(level).toEqual(level.toSorted((one, other) => one - other));
  });

  test('caches nothing, and reads no shard that is cached', async () => {
    const { root, read, reads } = await built();
    const { found } = await walked(read, root);
    expect(read.peek?.(root as Cid)).toBeUndefined();
    reads.length = 0;
    await read(root as Cid);
    expect((await walked(read, root)).found).toHaveLength(found.length);
    expect(reads.flat()).toHaveLength(found.length - 1);
  });

  test('caches as many shards as it may, from the top of the trie', async () => {
    const { root, read } = await built();
    const walk = walkLevels(read, root, () => true, { keptMax: 500 });
    const found: Shard[] = [];
    for await (const shards of walk) found.push(...shards);
    const { entries } = await read(root as Cid);
    const children = entries.flatMap(({ child }) => child ?? []);
    expect(children.length).toBeGreaterThan(10);
    expect(children.filter((cid) => read.peek?.(cid) === undefined)).toEqual([]);
    const below = found.filter(({ prefix }) => prefix.length === 1).flatMap((shard) => shard.entries);
    expect(below.filter(({ child }) => child !== undefined && read.peek?.(child) !== undefined)).toEqual([]);
  });

  test('tells the path of each shard before it reads the shard', async () => {
    const { root, read } = await built();
    const paths: string[] = [];
    const found: Shard[] = [];
    const isWanted = (_: Cid, path: string) => paths.push(path) > 0;
    for await (const shards of walkLevels(read, root, isWanted)) found.push(...shards);
    expect(paths.sort()).toEqual(found.map(({ prefix }) => prefix).sort());
  });

  test('works with a reader that reads one shard at a time', async () => {
    const { root, one } = await built();
    const { found } = await walked(shardReader(one, new Lru<Cid, Shard>(1)), root);
    expect(valuesOf(found)).toEqual(ALL_VALUES);
  });

  test('skips everything below an unwanted link, and an absent root', async () => {
    const { root, read } = await built();
    const { entries } = await read(root as Cid);
    const unwanted = entries[0]?.child;
    const found: Shard[] = [];
    for await (const shards of walkLevels(read, root, (cid) => cid !== unwanted)) found.push(...shards);
    const first = entries[0]?.key as string;
    expect(valuesOf(found)).toEqual(
      PUTS.flatMap(([key, value]) => (key.startsWith(first) ? [] : [value])).sort(),
    );
    expect((await walked(read, undefined)).found).toEqual([]);
  });

  test('rejects when a shard is missing', async () => {
    const { root, blocks, read } = await built();
    const lost = (await read(root as Cid)).entries.at(-1)?.child as Cid;
    blocks.delete(lost);
    await expect(walked(read, root)).rejects.toMatchObject({ code: 'MISSING_BLOCK' });
  });
});
