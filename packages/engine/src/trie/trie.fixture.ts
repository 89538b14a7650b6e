import { FixpointError } from '@fixpoint/protocol';
import fc from 'fast-check';
import { Lru } from '../base/lru.ts';
import type { Block } from '../codec/block.ts';
import { type Cid, cidOf, RAW } from '../codec/cid.ts';
import { entries, type KeyRange } from './entries.ts';
import { type Shard, shardReader } from './shard.ts';

/** Keeps shards in memory and counts reads that miss the cache of decoded shards. */
export function trieStore() {
  const byCid = new Map<Cid, Uint8Array>();
  let reads = 0;
  const read = shardReader(async (cid) => {
    reads++;
    const bytes = byCid.get(cid);
    if (bytes === undefined) throw new FixpointError('MISSING_BLOCK', cid);
    return bytes;
  }, new Lru<Cid, Shard>(10_000));
  return {
    read,
    readCount: () => reads,
    add: (blocks: readonly Block[]) => {
      for (const { cid, bytes } of blocks) byCid.set(cid, bytes);
    },
    /** Returns a store with the same blocks and an empty cache. */
    fresh: () => {
      const other = trieStore();
      other.add([...byCid].map(([cid, bytes]) => ({ cid, bytes })));
      return other;
    },
    list: async (root: Cid, range?: KeyRange) => {
      const all: (readonly [string, Cid])[] = [];
      for await (const entry of entries(read, root, range)) all.push(entry);
      return all;
    },
  };
}

export const linkTo = (n: number): Cid => cidOf(RAW, Uint8Array.of(n));

/**
 * Generates keys with many common prefixes, including keys that are a prefix of another key, and
 * the empty key.
 */
export const someKey = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 }),
  fc.integer({ min: 0, max: 300 }).map((n) => `doc-${String(n).padStart(5, '0')}`),
  fc.string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
    maxLength: 4,
  }),
);
export const someValue = fc.integer({ min: 0, max: 20 }).map(linkTo);
export const somePuts = fc.array(fc.tuple(someKey, someValue), { maxLength: 60 });
