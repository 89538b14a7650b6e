import { FixpointError } from '@fixpoint/protocol';
import type { Cid } from '../codec/cid.ts';
import type { ReadShard, Shard, ShardEntry } from './shard.ts';

/** A lookup of a key: the shard that it has reached and, when it is finished, the link. */
interface Way {
  readonly key: string;
  shard: Cid;
  depth: number;
  link: Cid | undefined;
}

const wayTo = (key: string, root: Cid): Way => ({ key, shard: root, depth: 0, link: undefined });

/**
 * Returns the link of a key, or undefined when the trie lacks the key.
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function getLink(read: ReadShard, root: Cid, key: string): Promise<Cid | undefined> {
  const way = wayTo(key, root);
  while (goOn(way, read)) if (!step(way, await read(way.shard))) break;
  return way.link;
}

/**
 * Returns the links of several keys, in the order of the keys. Reads uncached shards together.
 * @throws as {@link getLink}
 */
export async function getLinks(
  read: ReadShard,
  root: Cid,
  keys: readonly string[],
): Promise<(Cid | undefined)[]> {
  const ways = keys.map((key) => wayTo(key, root));
  let open = ways.filter((way) => goOn(way, read));
  while (open.length > 0) {
    await read.ahead?.(open.map(({ shard }) => shard));
    const further: Way[] = [];
    for (const way of open)
      if (step(way, read.peek?.(way.shard) ?? (await read(way.shard))) && goOn(way, read)) further.push(way);
    open = further;
  }
  return ways.map(({ link }) => link);
}

/** Continues a lookup through cached shards. Returns false when the lookup is finished. */
function goOn(way: Way, read: ReadShard): boolean {
  for (let shard = read.peek?.(way.shard); shard !== undefined; shard = read.peek?.(way.shard))
    if (!step(way, shard)) return false;
  return true;
}

/** Continues a lookup through one shard. Returns false when the lookup is finished. */
function step(way: Way, shard: Shard): boolean {
  const { key, depth } = way;
  if (shard.prefix.length !== depth) throw new FixpointError('CORRUPT', 'misplaced shard');
  const entry = entryFor(shard, key.charAt(depth));
  way.depth = depth + 1;
  if (depth + 1 < key.length && entry?.child !== undefined) {
    way.shard = entry.child;
    return true;
  }
  way.link = entry?.child !== undefined || entry?.key === key.slice(depth) ? entry?.value : undefined;
  return false;
}

/** Returns the only entry that starts with the character. */
export function entryFor({ entries }: Shard, char: string): ShardEntry | undefined {
  let low = 0;
  let high = entries.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const entry = entries[middle];
    const first = entry?.key.charAt(0) ?? '';
    if (first === char) return entry;
    if (first < char) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}
