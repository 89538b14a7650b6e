/**
 * One node of the trie id -> document CID: dag-cbor `{entries, version: 1, keyChars: "ascii", maxKeySize: 4096, prefix}`.
 * An entry is `[rest, link]` for one key, or `[c, [child]]` / `[c, [child, link]]` for the keys that begin with prefix + c. Entries
 * are sorted by key; no two begin with the same character. The form is a pure function of the keys and links.
 */
import { FixpointError } from '@fixpoint/protocol';
import type { Lru } from '../base/lru.ts';
import { type Block, encodeBlock, type ReadBlock } from '../codec/block.ts';
import type { Cid } from '../codec/cid.ts';
import { asArray, asText, decodeMap, link, linkCid } from '../codec/dag-cbor.ts';

export interface ShardEntry {
  /** What follows the shard's prefix; a single character when there is a child. */
  readonly key: string;
  readonly value: Cid | undefined;
  readonly child: Cid | undefined;
}

export interface Shard {
  readonly prefix: string;
  readonly entries: readonly ShardEntry[];
}

export type ReadShard = (cid: Cid) => Promise<Shard>;

export function encodeShard({ prefix, entries }: Shard): Block {
  return encodeBlock({
    entries: entries.map(({ key, value, child }) => {
      if (child === undefined) return [key, value && link(value)];
      return [key, value === undefined ? [link(child)] : [link(child), link(value)]];
    }),
    version: 1,
    keyChars: 'ascii',
    maxKeySize: 4096,
    prefix,
  });
}

/** @throws FixpointError CORRUPT, FORMAT_NEWER */
export function decodeShard(bytes: Uint8Array): Shard {
  const map = decodeMap(bytes);
  if (map['version'] !== 1) throw new FixpointError('FORMAT_NEWER', 'shard');
  return { prefix: asText(map['prefix']), entries: asArray(map['entries']).map(decodeEntry) };
}

function decodeEntry(entry: unknown): ShardEntry {
  const [key, target] = asArray(entry);
  if (!Array.isArray(target)) return { key: asText(key), value: linkCid(target), child: undefined };
  const [child, value] = target;
  return { key: asText(key), child: linkCid(child), value: value === undefined ? undefined : linkCid(value) };
}

/** The shard without keys, which the genesis commit writes. */
export const EMPTY_SHARD: Block = encodeShard({ prefix: '', entries: [] });

/** Reads shards and keeps the decoded ones, by CID: they never change. */
export function shardReader(read: ReadBlock, cache: Lru<Cid, Shard>): ReadShard {
  return async (cid) => {
    const known = cache.get(cid);
    if (known !== undefined) return known;
    const shard = decodeShard(await read(cid));
    cache.set(cid, shard);
    return shard;
  };
}
