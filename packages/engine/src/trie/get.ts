import { FixpointError } from '@fixpoint/protocol';
import type { Cid } from '../codec/cid.ts';
import type { ReadShard, Shard, ShardEntry } from './shard.ts';

/** The link of a key, or undefined when the trie does not hold the key. @throws FixpointError MISSING_BLOCK, CORRUPT */
export async function getLink(read: ReadShard, root: Cid, key: string): Promise<Cid | undefined> {
  let shard = read.peek?.(root) ?? (await read(root));
  let at = 0;
  for (;;) {
    const entry = entryFor(shard, key.charAt(at));
    if (entry === undefined) return undefined;
    if (entry.child === undefined) return entry.key === key.slice(at) ? entry.value : undefined;
    at += 1;
    if (at === key.length) return entry.value;
    shard = read.peek?.(entry.child) ?? (await read(entry.child));
    if (shard.prefix.length !== at) throw new FixpointError('CORRUPT', 'shard at a foreign place');
  }
}

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
