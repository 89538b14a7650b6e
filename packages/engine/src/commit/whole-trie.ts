import { isFixpointError } from '@fixpoint/protocol';
import type { Cid } from '../codec/cid.ts';
import { type ReadShard, readShardAt } from '../trie/shard.ts';

/**
 * Whether all shards of a trie can be read. What it shares with `known`, a trie that can be read, is not looked at again.
 * @throws FixpointError CORRUPT
 */
export async function isWhole(
  read: ReadShard,
  root: Cid | undefined,
  known: Cid | undefined,
): Promise<boolean> {
  const waiting: (readonly [path: string, shard: Cid | undefined, known: Cid | undefined])[] = [
    ['', root, known],
  ];
  try {
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      const [path, cid, other] = one;
      if (cid === undefined || cid === other) continue;
      const { entries } = await readShardAt(read, cid, path);
      const others = new Map<string, Cid>();
      if (other !== undefined)
        for (const { key, child } of (await readShardAt(read, other, path)).entries)
          if (child) others.set(key, child);
      for (const { key, child } of entries) if (child) waiting.push([path + key, child, others.get(key)]);
    }
  } catch (cause) {
    if (isFixpointError(cause, 'MISSING_BLOCK')) return false;
    throw cause;
  }
  return true;
}
