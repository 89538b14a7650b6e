import { describe, expect, test } from 'vitest';
import { Lru } from '../base/lru.ts';
import { WITHOUT_REST } from '../base/pace.ts';
import { sortHead } from '../clock/event.ts';
import type { ReadBlocks } from '../codec/block.ts';
import { type Cid, cidOf, RAW } from '../codec/cid.ts';
import type { Readers } from '../commit/snapshot.ts';
import { parseDocKey } from '../documents/doc-key.ts';
import { encodeDocument } from '../documents/encode.ts';
import { putMany } from '../trie/put-many.ts';
import { type Shard, shardReader } from '../trie/shard.ts';
import { trieStore } from '../trie/trie.fixture.ts';
import { changedDocuments } from './source.ts';
import { EMPTY } from './state.ts';

const COUNT = 3000;
const ids = Array.from({ length: COUNT }, (_, n) => cidOf(RAW, Uint8Array.of(n >> 8, n & 255)).slice(-9));

/** Stores documents in archives of 100, in the order of their numbers. `read` lists the reads. */
async function world({ fits }: { fits: boolean }) {
  const documents = ids.map((id, n) => encodeDocument({ n }, parseDocKey(id)));
  const { read } = trieStore();
  const { root, added } = await putMany(
    read,
    undefined,
    documents.map(({ cid }, n) => [ids[n] as string, cid]),
  );
  const all = [...documents, ...added];
  const bytes = new Map(all.map((block) => [block.cid, block.bytes]));
  const places = new Map(all.map(({ cid }, at) => [cid, Math.floor(at / 100) * 2 ** 32 + (at % 100)]));
  const reads: (readonly Cid[])[] = [];
  const block = async (cid: Cid) => bytes.get(cid) as Uint8Array;
  const blocks: ReadBlocks = (cids) => {
    reads.push(cids);
    return Promise.all(cids.map(block));
  };
  blocks.placesOf = async (cids) =>
    fits ? undefined : Float64Array.from(cids, (cid) => places.get(cid as Cid) ?? 0);
  const shard = shardReader(block, new Lru<Cid, Shard>(100_000), blocks);
  const readers = { block, blocks, shard } as unknown as Readers;
  const archivesOf = (cids: readonly Cid[]) =>
    new Set(cids.map((cid) => Math.floor((places.get(cid) as number) / 2 ** 32))).size;
  return {
    readers,
    root,
    reads,
    opened: () => reads.reduce((sum, cids) => sum + archivesOf(cids), 0),
    places,
  };
}

async function documentsOf({ readers, root }: Awaited<ReturnType<typeof world>>, prefix?: string) {
  const snapshot = { head: sortHead([cidOf(RAW, Uint8Array.of(1))]), root, merged: [] };
  const found: [string, unknown][] = [];
  const told: string[] = [];
  for await (const { ids: some, live } of changedDocuments(readers, snapshot, EMPTY, {
    pace: WITHOUT_REST,
    prefix,
  })) {
    told.push(...some);
    found.push(...live.map((doc): [string, unknown] => [doc._id, doc['n']]));
  }
  return { found: found.sort(([a], [b]) => (a < b ? -1 : 1)), told: told.sort() };
}

const expected = (prefix = '') =>
  ids
    .flatMap((id, n): [string, unknown][] => (id.startsWith(prefix) ? [[id, n]] : []))
    .sort(([a], [b]) => (a < b ? -1 : 1));

describe('the documents of a new index', () => {
  test.each([true, false])('yields all of them if all archives fit in memory: %s', async (fits) => {
    const { found, told } = await documentsOf(await world({ fits }));
    expect(found).toEqual(expected());
    expect(told).toEqual(expected().map(([id]) => id));
  });

  test.each([true, false])('yields those with a prefix if all archives fit in memory: %s', async (fits) => {
    const prefix = (ids[0] as string).slice(0, 2);
    const all = await world({ fits });
    expect((await documentsOf(all, prefix)).found).toEqual(expected(prefix));
    expect(all.reads.flat().length).toBeLessThan(COUNT / 10);
  });

  test('opens each archive of documents at most twice if the archives exceed the memory', async () => {
    const large = await world({ fits: false });
    await documentsOf(large);
    // 30 archives of documents, each of which may be in two batches, and a few reads per level.
    expect(large.opened()).toBeLessThan(100);
  });
});
