import type { Cid } from '../codec/cid.ts';
import type { ReadShard, Shard } from './shard.ts';

/**
 * Yields the shards below a root level by level, in batches. Within a level, shards are read in the
 * order in which they are stored. So each archive is opened at most once for each level, even if
 * the archives are much larger than the cache. At most one batch of shards is in memory.
 * @param isWanted called with each link to a shard, before the shard is read. If this returns
 * false, the walk skips the shard and everything below it. Must return true only once for each
 * shard
 * @param rest lets other work run while the walk finds the order in which to read a level
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function* walkLevels(
  read: ReadShard,
  root: Cid | undefined,
  isWanted: (cid: Cid) => boolean,
  rest?: () => Promise<void>,
): AsyncGenerator<readonly Shard[], void> {
  let level = root !== undefined && isWanted(root) ? [root] : [];
  while (level.length > 0) {
    const below: Cid[] = [];
    for await (const shards of read.scan?.(level, rest) ?? oneByOne(read, level)) {
      for (const { entries } of shards)
        for (const { child } of entries) if (child !== undefined && isWanted(child)) below.push(child);
      yield shards;
    }
    level = below;
  }
}

async function* oneByOne(read: ReadShard, cids: readonly Cid[]): AsyncGenerator<readonly Shard[], void> {
  for (const cid of cids) yield [await read(cid)];
}
