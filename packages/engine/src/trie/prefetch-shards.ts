import { append } from '../base/append.ts';
import type { Cid } from '../codec/cid.ts';
import type { ReadShard, Shard } from './shard.ts';

/** Maximum number of shards of one level that are read together. */
const LEVEL_MAX = 4000;

/**
 * Creates a function that caches the shards that a walk through a trie reads next. Call it with the
 * next shards, the first one first, when the first one isn't cached. It reads level by level, and
 * twice as many shards with each call, so that a short walk reads few shards in vain. Archives
 * contain shards in the order of writing. A walk that read one shard at a time would open each
 * archive many times.
 * @param childrenOf returns the children that the walk reads, in its order
 */
export function createShardPrefetch(
  read: ReadShard,
  childrenOf: (shard: Shard) => readonly Cid[],
): (next: readonly Cid[]) => Promise<void> {
  const { ahead, peek } = read;
  if (ahead === undefined || peek === undefined) return () => Promise.resolve();
  let levelMax = 1;
  return async (next) => {
    // A malicious trie can contain a shard below itself.
    const seen = new Set<Cid>();
    let level = next.slice(0, levelMax);
    while (level.length > 0) {
      try {
        await ahead(level);
      } catch {
        // The walk may not need this shard. If it does, it reports the error.
        break;
      }
      const below: Cid[] = [];
      for (const cid of level) {
        const shard = seen.has(cid) ? undefined : peek(cid);
        seen.add(cid);
        if (shard !== undefined) append(below, childrenOf(shard));
      }
      level = below.slice(0, levelMax);
    }
    levelMax = Math.min(2 * levelMax, LEVEL_MAX);
  };
}
