import { readFileSync } from 'node:fs';
import { FixpointError } from '@fixpoint/protocol';
import { Lru } from '../../src/base/lru.ts';
import { eventReader } from '../../src/clock/event.ts';
import type { Block } from '../../src/codec/block.ts';
import type { Cid } from '../../src/codec/cid.ts';
import { shardReader } from '../../src/trie/shard.ts';

const FOLDER = new URL('../vectors/', import.meta.url);

export const vectorFile = (path: string): URL => new URL(path, FOLDER);
/** The parsed file; `{"$repeat": "k", "n": 3}` stands for `kkk`. */
export const vectors = <T>(name: string): T =>
  JSON.parse(readFileSync(vectorFile(name), 'utf8'), (_, value) =>
    value?.$repeat === undefined ? value : String(value.$repeat).repeat(value.n),
  ) as T;
export const fromHex = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Blocks in memory, and readers over them. */
export function blockstore() {
  const byCid = new Map<Cid, Uint8Array>();
  const read = async (cid: Cid) => {
    const bytes = byCid.get(cid);
    if (bytes === undefined) throw new FixpointError('MISSING_BLOCK', cid);
    return bytes;
  };
  return {
    byCid,
    read,
    add: (blocks: Iterable<Block>) => {
      for (const { cid, bytes } of blocks) byCid.set(cid, bytes);
    },
    event: eventReader(read, new Lru(10_000)),
    shard: shardReader(read, new Lru(10_000)),
  };
}
