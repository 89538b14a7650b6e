import type { Cid } from '../codec/cid.ts';
import type { ReadShard, Shard } from './shard.ts';

interface WalkOptions {
  /** Lets other work run while the walk finds the order in which to read a level. */
  readonly rest?: (() => Promise<void>) | undefined;
  /** About the number of shards and entries to cache, from the top; by default none. */
  readonly keptMax?: number;
}

/**
 * Yields the shards below a root level by level, in batches. Within a level, shards are read in the
 * order in which they are stored. So each archive is opened at most once for each level, even if
 * the archives are much larger than the cache. At most one batch of shards is in memory.
 * @param isWanted called with each link to a shard and the path of this shard, before the shard is
 * read. If this returns false, the walk skips the shard and everything below it. Must return true
 * only once for each shard
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function* walkLevels(
  read: ReadShard,
  root: Cid | undefined,
  isWanted: (cid: Cid, path: string) => boolean,
  { rest, keptMax = 0 }: WalkOptions = {},
): AsyncGenerator<readonly Shard[], void> {
  let level = root !== undefined && isWanted(root, '') ? [root] : [];
  let seen = 0;
  const keeps = () => seen < keptMax;
  while (level.length > 0) {
    const below: Cid[] = [];
    for await (const shards of read.scan?.(level, keeps, rest) ?? oneByOne(read, level)) {
      for (const { prefix, entries } of shards) {
        seen += 1 + entries.length;
        for (const { key, child } of entries)
          if (child !== undefined && isWanted(child, prefix + key)) below.push(child);
      }
      yield shards;
    }
    level = below;
  }
}

async function* oneByOne(read: ReadShard, cids: readonly Cid[]): AsyncGenerator<readonly Shard[], void> {
  for (const cid of cids) yield [await read(cid)];
}
