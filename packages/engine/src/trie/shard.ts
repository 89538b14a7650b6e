/**
 * One node of the trie id -> document CID: dag-cbor `{entries, version: 1, keyChars: "ascii",
 * maxKeySize: 4096, prefix}`. An entry is `[rest, link]` for one key, or `[c, [child]]` / `[c,
 * [child, link]]` for the keys that begin with prefix + c. Entries are sorted by key, and no two
 * begin with the same character. The form depends only on the keys and links.
 */
import { FixpointError } from '@fixpoint/protocol';
import { equalBytes } from '../base/bytes.ts';
import type { Lru } from '../base/lru.ts';
import { type Block, blockOf, type ReadBlock, type ReadBlocks } from '../codec/block.ts';
import { CID_BYTES, type Cid, cidToBytes } from '../codec/cid.ts';
import { asArray, asText, decodeMap, encodeItems, linkCid } from '../codec/dag-cbor.ts';
import { batchesByPlace } from '../codec/read-by-place.ts';

/** Size of an encoded link: a tag, the head of a byte string, a zero, and the CID. */
const LINK_BYTES = 2 + 2 + 1 + CID_BYTES;
/**
 * Size of the bytes before the prefix (head of the map, text `prefix`) and of the text `entries`.
 */
const [BEFORE_PREFIX, BEFORE_ENTRIES] = [1 + 7, 8];

export interface ShardEntry {
  /** The key after the shard's prefix; a single character when there is a child. */
  readonly key: string;
  readonly value: Cid | undefined;
  readonly child: Cid | undefined;
}

export interface Shard {
  readonly prefix: string;
  readonly entries: readonly ShardEntry[];
  /** The encoded bytes of the shard, if this process encoded it. */
  readonly bytes?: Uint8Array | undefined;
}

/** Reads a shard. Readers with a cache implement the optional methods. */
export interface ReadShard {
  (cid: Cid): Promise<Shard>;
  /** Returns the shard if it is cached. */
  peek?(cid: Cid): Shard | undefined;
  /** Prefetches shards into the cache. */
  ahead?(cids: readonly Cid[]): Promise<void>;
  /**
   * Yields many shards in batches, in the order in which they are stored.
   * @param keeps returns whether to cache the next batch. A walk through a large trie that cached
   * all shards would evict those that writers need
   * @param rest lets other work run
   */
  scan?(
    cids: readonly Cid[],
    keeps: () => boolean,
    rest?: () => Promise<void>,
  ): AsyncIterable<readonly Shard[]>;
  /** Caches a newly encoded shard, which saves decoding it. */
  keep?(cid: Cid, shard: Shard): void;
}

/** Encodes a shard. @param before a similar shard, whose encoded bytes may be reused */
export function encodeShard(shard: Shard, before?: Shard): Block {
  return blockOf((before?.bytes && relinked(shard, before, before.bytes)) ?? bytesOf(shard));
}

/**
 * Patches the bytes of a shard in which one link changed, as most writes do. Copying bytes is many
 * times faster than encoding all links. Returns undefined if the shards differ in any other way, or
 * if the layout is unexpected.
 * @param bytes the encoded bytes of `before`
 */
function relinked(shard: Shard, before: Shard, bytes: Uint8Array): Uint8Array | undefined {
  if (shard.entries.length !== before.entries.length || shard.prefix !== before.prefix) return undefined;
  const { prefix, entries } = before;
  let at = BEFORE_PREFIX + textBytes(prefix) + BEFORE_ENTRIES + headBytes(entries.length);
  let changed:
    | { readonly at: number; readonly link: Uint8Array; readonly linkBefore: Uint8Array }
    | undefined;
  for (const [index, then] of entries.entries()) {
    const now = shard.entries[index];
    if (now !== then) {
      const change = now && changeOf(now, then);
      if (change === undefined || changed !== undefined) return undefined;
      changed = { ...change, at: at + change.at };
    }
    at += entryBytes(then);
  }
  if (changed === undefined) return undefined;
  const end = changed.at + CID_BYTES;
  if (!equalBytes(bytes.subarray(changed.at, end), changed.linkBefore)) return undefined;
  const after = bytes.slice();
  after.set(changed.link, changed.at);
  return after;
}

/** Returns the one link that differs between two entries, and the offset of its CID. */
function changeOf(now: ShardEntry, then: ShardEntry) {
  const isChild = now.child !== then.child;
  const [link, linkBefore] = isChild ? [now.child, then.child] : [now.value, then.value];
  if (link === undefined || linkBefore === undefined || now.key !== then.key) return undefined;
  if (isChild && now.value !== then.value) return undefined;
  const others = then.child === undefined ? 0 : 1 + (isChild ? 0 : LINK_BYTES);
  return {
    at: 1 + textBytes(then.key) + others + LINK_BYTES - CID_BYTES,
    link: cidToBytes(link),
    linkBefore: cidToBytes(linkBefore),
  };
}

function entryBytes({ key, value, child }: ShardEntry): number {
  const links = (value === undefined ? 0 : LINK_BYTES) + (child === undefined ? 0 : 1 + LINK_BYTES);
  return 1 + textBytes(key) + links;
}

const textBytes = ({ length }: string): number => headBytes(length) + length;

const headBytes = (value: number): number => (value < 24 ? 1 : value < 0x100 ? 2 : 3);

function bytesOf({ prefix, entries }: Shard): Uint8Array {
  return encodeItems((to) => {
    to.map(5);
    to.text('prefix');
    to.text(prefix);
    to.text('entries');
    to.array(entries.length);
    for (const { key, value, child } of entries) {
      to.array(2);
      to.text(key);
      if (child !== undefined) {
        to.array(value === undefined ? 1 : 2);
        to.link(child);
      }
      if (value !== undefined) to.link(value);
    }
    to.text('version');
    to.unsigned(1);
    to.text('keyChars');
    to.text('ascii');
    to.text('maxKeySize');
    to.unsigned(4096);
  });
}

/** Decodes a shard. @throws FixpointError CORRUPT, FORMAT_NEWER */
export function decodeShard(bytes: Uint8Array): Shard {
  const map = decodeMap(bytes);
  if (map['version'] !== 1) throw new FixpointError('FORMAT_NEWER', 'shard');
  const prefix = asText(map['prefix']);
  const entries = asArray(map['entries']).map(decodeEntry);
  entries.forEach(({ key, child }, at) => {
    const before = entries[at - 1]?.key;
    if (before !== undefined && !(before.charAt(0) < key.charAt(0)))
      throw new FixpointError('CORRUPT', 'shard out of order');
    if (child !== undefined ? key.length !== 1 : key === '' && prefix !== '')
      throw new FixpointError('CORRUPT', 'shard with an impossible key');
  });
  return { prefix, entries };
}

function decodeEntry(entry: unknown): ShardEntry {
  const [key, target] = asArray(entry);
  if (!Array.isArray(target)) return { key: asText(key), value: linkCid(target), child: undefined };
  const [child, value] = target;
  return { key: asText(key), child: linkCid(child), value: value === undefined ? undefined : linkCid(value) };
}

/** The shard without keys, which the genesis commit writes. */
export const EMPTY_SHARD: Block = encodeShard({ prefix: '', entries: [] });

/**
 * Creates a reader that caches decoded shards by CID. Shards never change, so the cache is never
 * stale.
 * @param cache counts each shard as one plus its entries
 * @param readMany reads many blocks at once, if that is faster
 */
export function shardReader(read: ReadBlock, cache: Lru<Cid, Shard>, readMany?: ReadBlocks): ReadShard {
  const readShard: ReadShard = async (cid) => {
    const known = cache.get(cid);
    if (known !== undefined) return known;
    const shard = decodeShard(await read(cid));
    keep(cid, shard);
    return shard;
  };
  const keep = (cid: Cid, shard: Shard) => cache.set(cid, shard, 1 + shard.entries.length);
  readShard.peek = (cid) => cache.get(cid);
  readShard.keep = keep;
  if (readMany === undefined) return readShard;
  readShard.ahead = async (cids) => {
    const missing = [...new Set(cids)].filter((cid) => cache.get(cid) === undefined);
    for await (const some of batchesByPlace(readMany, missing)) {
      const blocks = await readMany(some);
      for (const [at, cid] of some.entries()) keep(cid, decodeShard(blocks[at] ?? new Uint8Array()));
    }
  };
  readShard.scan = async function* (cids, keeps, rest) {
    for await (const some of batchesByPlace(readMany, cids, rest)) {
      const isKept = keeps();
      const known = some.map((cid) => cache.get(cid));
      const read = (await readMany(some.filter((_, at) => known[at] === undefined))).values();
      yield known.map((before, at) => {
        const shard = before ?? decodeShard(read.next().value as Uint8Array);
        if (isKept && before === undefined) keep(some[at] as Cid, shard);
        return shard;
      });
    }
  };
  return readShard;
}

/**
 * Reads the shard of a path.
 * @throws FixpointError CORRUPT when the shard belongs to another path, as in a maliciously cyclic
 * trie
 */
export async function readShardAt(read: ReadShard, cid: Cid, path: string): Promise<Shard> {
  const shard = read.peek?.(cid) ?? (await read(cid));
  if (shard.prefix !== path) throw new FixpointError('CORRUPT', 'misplaced shard');
  return shard;
}
