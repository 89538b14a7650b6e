/** How many live documents lie below each shard of a trie, so that a position is found without listing what comes before it. */
import { Lru } from '../base/lru.ts';
import type { Pace } from '../base/pace.ts';
import type { Cid } from '../codec/cid.ts';
import { isDeletion, knownDeletions } from '../documents/deletions.ts';
import { GENESIS_KEY } from '../documents/genesis.ts';
import { type ReadShard, readShardAt, type ShardEntry } from '../trie/shard.ts';

/** Shards never change, so their counts stay true; a write makes only the shards on its way new. */
const COUNTS_KEPT = 500_000;

/** What work of several slices needs to know. */
export interface Slices {
  readonly pace: Pace;
  readonly signal?: AbortSignal | undefined;
}

export interface CountedTrie {
  /** The number of live documents, when all of it is known already. */
  known(root: Cid): number | undefined;
  /** @throws FixpointError MISSING_BLOCK, CORRUPT; the reason of the signal */
  count(root: Cid, slices: Slices): Promise<number>;
  /** The id of the live document at this position in the order of ids; undefined behind the last. */
  idAt(root: Cid, position: number, slices: Slices): Promise<string | undefined>;
  /** How many live documents have an id less than this one, be it there or not. */
  positionOf(root: Cid, id: string, slices: Slices): Promise<number>;
}

/** Whether the entry of a trie is a document that somebody can read. */
export const isLiveLink = (id: string, link: Cid | undefined): link is Cid =>
  link !== undefined && !isDeletion(link) && id !== GENESIS_KEY;

export function createCountedTrie(read: ReadShard): CountedTrie {
  let counts = new Lru<Cid, number>(COUNTS_KEPT);
  let countedWith = knownDeletions();

  /** Counts without a document that has turned out to be deleted are wrong. */
  function forgetIfMoreAreDeleted(): void {
    if (countedWith === knownDeletions()) return;
    countedWith = knownDeletions();
    counts = new Lru<Cid, number>(COUNTS_KEPT);
  }

  async function countBelow(shardCid: Cid, path: string, slices: Slices): Promise<number> {
    const known = counts.get(shardCid);
    if (known !== undefined) return known;
    await takeTurns(slices);
    let count = 0;
    for (const { key, value, child } of (await readShardAt(read, shardCid, path)).entries) {
      if (isLiveLink(path + key, value)) count += 1;
      if (child !== undefined) count += counts.get(child) ?? (await countBelow(child, path + key, slices));
    }
    counts.set(shardCid, count);
    return count;
  }

  return {
    known: (root) => {
      forgetIfMoreAreDeleted();
      return counts.get(root);
    },
    count: (root, slices) => {
      forgetIfMoreAreDeleted();
      return countBelow(root, '', slices);
    },

    idAt: async (root, position, slices) => {
      forgetIfMoreAreDeleted();
      let left = position;
      let below: { cid: Cid; path: string } | undefined = { cid: root, path: '' };
      while (below !== undefined) {
        const { path, cid }: { cid: Cid; path: string } = below;
        below = undefined;
        for (const { key, value, child } of (await readShardAt(read, cid, path)).entries) {
          const id = path + key;
          if (isLiveLink(id, value)) {
            if (left === 0) return id;
            left -= 1;
          }
          if (child === undefined) continue;
          const count = await countBelow(child, id, slices);
          if (left < count) {
            below = { cid: child, path: id };
            break;
          }
          left -= count;
        }
      }
      return undefined;
    },

    positionOf: async (root, id, slices) => {
      forgetIfMoreAreDeleted();
      let position = 0;
      let below: ShardEntry['child'] = root;
      let path = '';
      while (below !== undefined) {
        const { entries } = await readShardAt(read, below, path);
        below = undefined;
        for (const { key, value, child } of entries) {
          const at = path + key;
          if (at >= id) break;
          if (isLiveLink(at, value)) position += 1;
          if (child === undefined) continue;
          if (id.startsWith(at)) {
            below = child;
            path = at;
            break;
          }
          position += await countBelow(child, at, slices);
        }
      }
      return position;
    },
  };
}

/** Lets others go on when it is their turn. @throws the reason of the signal, when the work is not wanted any more */
export async function takeTurns({ pace, signal }: Slices): Promise<void> {
  signal?.throwIfAborted();
  if (!pace.isDue()) return;
  await pace.rest();
  signal?.throwIfAborted();
}
