import { append } from '../../base/append.ts';
import type { Cid } from '../../codec/cid.ts';
import type { Archives } from '../../store/archives.ts';
import { walkLevels } from '../../trie/walk-levels.ts';
import type { Readers, Snapshot } from '../snapshot.ts';

export interface Removal {
  readonly archives: Archives;
  readonly readers: Readers;
  /** Blocks that were found live. The removal keeps them. */
  readonly live: Pick<ReadonlySet<Cid>, 'has'>;
  readonly removed: ReadonlySet<Cid>;
  readonly snapshots: readonly Snapshot[];
  /**
   * Blocks of earlier checks of the same removal. Everything below them is whole. The check adds
   * the blocks that it reads, and if it returns true, the next check may skip them.
   */
  readonly seen?: Set<Cid> | undefined;
  /** Lets other work run. Called after every hundred blocks and links. */
  readonly pause?: (() => Promise<void>) | undefined;
}

/** A step reads a block or looks up the place of a link. */
const STEPS_BETWEEN_PAUSES = 100;

/**
 * Returns whether the snapshots, which may be newer than the live set, need none of the removed
 * blocks.
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function isStillWhole({
  archives,
  readers,
  live,
  removed,
  snapshots,
  seen = new Set(),
  pause,
}: Removal): Promise<boolean> {
  let steps = 0;
  const stepped = (more: number): Promise<void> | undefined => {
    steps += more;
    if (steps < STEPS_BETWEEN_PAUSES) return undefined;
    steps = 0;
    return pause?.();
  };
  /** Returns whether the removal loses a block. A block that isn't stored can't be lost. */
  const goes = (cid: Cid): boolean => {
    if (live.has(cid)) return false;
    const place = archives.placeOf(cid);
    return place !== undefined && removed.has(place.archive);
  };
  const isNews = (cid: Cid): boolean => !live.has(cid) && !seen.has(cid) && seen.add(cid).size > 0;

  async function isTrieWhole(root: Cid | undefined): Promise<boolean> {
    let isWhole = true;
    const isNewAndStays = (cid: Cid): boolean => {
      if (!isNews(cid)) return false;
      if (goes(cid)) isWhole = false;
      return isWhole;
    };
    for await (const shards of walkLevels(readers.shard, root, isNewAndStays, { rest: pause }))
      for (const { entries } of shards) {
        if (!isWhole || entries.some(({ value }) => value !== undefined && goes(value))) return false;
        await stepped(1 + entries.length);
      }
    return isWhole;
  }

  async function isHistoryWhole(head: readonly Cid[]): Promise<boolean> {
    const waiting = [...head];
    for (let cid = waiting.pop(); cid !== undefined; cid = waiting.pop()) {
      if (!isNews(cid)) continue;
      if (goes(cid)) return false;
      const { operations, parents } = await readers.event(cid);
      await stepped(1 + operations.length);
      if (operations.some(({ value }) => value !== undefined && goes(value))) return false;
      append(waiting, parents);
    }
    return true;
  }

  for (const { head, root } of snapshots)
    if (!(await isTrieWhole(root)) || !(await isHistoryWhole(head))) return false;
  return true;
}
