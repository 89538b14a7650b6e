import { FixpointError } from '@fixpoint/protocol';
import type { Cid } from '../codec/cid.ts';
import type { ReadShard, Shard, ShardEntry } from './shard.ts';

/** The link of a key, or undefined when the trie does not hold the key. @throws FixpointError MISSING_BLOCK, CORRUPT */
export async function getLink(read: ReadShard, root: Cid, key: string): Promise<Cid | undefined> {
  let cid = root;
  for (let at = 0; ; at++) {
    const entry = entryAt(read.peek?.(cid) ?? (await read(cid)), key, at);
    const below = childFor(entry, key, at);
    if (below === undefined) return linkIn(entry, key, at);
    cid = below;
  }
}

/** The links of keys, in their order. Shards of one level are read together. @throws as {@link getLink} */
export async function getLinks(
  read: ReadShard,
  root: Cid,
  keys: readonly string[],
): Promise<(Cid | undefined)[]> {
  const links = new Array<Cid | undefined>(keys.length);
  let pending = keys.map((key, index) => ({ key, index, cid: root }));
  for (let at = 0; pending.length > 0; at++) {
    await read.ahead?.(pending.map(({ cid }) => cid));
    const further: typeof pending = [];
    for (const { key, index, cid } of pending) {
      const entry = entryAt(read.peek?.(cid) ?? (await read(cid)), key, at);
      const below = childFor(entry, key, at);
      if (below === undefined) links[index] = linkIn(entry, key, at);
      else further.push({ key, index, cid: below });
    }
    pending = further;
  }
  return links;
}

function entryAt(shard: Shard, key: string, at: number): ShardEntry | undefined {
  if (shard.prefix.length !== at) throw new FixpointError('CORRUPT', 'shard at a foreign place');
  return entryFor(shard, key.charAt(at));
}

/** The shard below that the key leads to. */
const childFor = (entry: ShardEntry | undefined, key: string, at: number): Cid | undefined =>
  at + 1 < key.length ? entry?.child : undefined;

/** What an entry without a shard further on for the key says of it. */
const linkIn = (entry: ShardEntry | undefined, key: string, at: number): Cid | undefined =>
  entry?.child !== undefined || entry?.key === key.slice(at) ? entry?.value : undefined;

/** The one entry that begins with the character. */
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
