/**
 * Counts the live documents below each shard of a trie, so that a position is found without listing
 * everything before it.
 */
import { Lru } from '../base/lru.ts';
import type { Pace } from '../base/pace.ts';
import type { Cid } from '../codec/cid.ts';
import { isDeletion, knownDeletions } from '../documents/deletions.ts';
import { GENESIS_KEY } from '../documents/genesis.ts';
import { type ReadShard, readShardAt, type ShardEntry } from '../trie/shard.ts';

/**
 * Maximum number of cached counts. Shards are immutable, so their counts stay valid. A write
 * creates only the shards on its path.
 */
const COUNTS_KEPT = 500_000;

/** Context of work that runs in several slices. */
export interface Slices {
  readonly pace: Pace;
  readonly signal?: AbortSignal | undefined;
}

export interface CountedTrie {
  /** Returns the number of live documents, or undefined if not all shards are counted yet. */
  known(root: Cid): number | undefined;
  /** @throws FixpointError MISSING_BLOCK, CORRUPT; the reason of the signal */
  count(root: Cid, slices: Slices): Promise<number>;
  /**
   * Returns the id of the live document at this position in the order of ids; undefined if there is
   * none.
   */
  idAt(root: Cid, position: number, slices: Slices): Promise<string | undefined>;
  /**
   * Returns the number of live documents with an id less than `id`. No document needs to have that
   * id.
   */
  positionOf(root: Cid, id: string, slices: Slices): Promise<number>;
}

/** Returns whether the entry of a trie is a readable document. */
export const isLiveLink = (id: string, link: Cid | undefined): link is Cid =>
  link !== undefined && !isDeletion(link) && id !== GENESIS_KEY;

export function createCountedTrie(read: ReadShard): CountedTrie {
  let counts = new Lru<Cid, number>(COUNTS_KEPT);
  let countedWith = knownDeletions();

  /** Discards counts made before a document was recognised as deleted. */
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
    idAt: (root, position, slices) => {
      forgetIfMoreAreDeleted();
      return idAt(read, (...below) => countBelow(...below, slices), root, position);
    },
    positionOf: (root, id, slices) => {
      forgetIfMoreAreDeleted();
      return positionOf(read, (...below) => countBelow(...below, slices), root, id);
    },
  };
}

/** Counts the live documents below a shard at a path. */
type CountBelow = (shard: Cid, path: string) => Promise<number>;

async function idAt(
  read: ReadShard,
  countBelow: CountBelow,
  root: Cid,
  position: number,
): Promise<string | undefined> {
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
      const count = await countBelow(child, id);
      if (left < count) {
        below = { cid: child, path: id };
        break;
      }
      left -= count;
    }
  }
  return undefined;
}

async function positionOf(read: ReadShard, countBelow: CountBelow, root: Cid, id: string): Promise<number> {
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
      position += await countBelow(child, at);
    }
  }
  return position;
}

/**
 * Yields when a slice is over.
 * @throws the reason of the signal, when the work was cancelled
 */
export async function takeTurns({ pace, signal }: Slices): Promise<void> {
  signal?.throwIfAborted();
  if (!pace.isDue()) return;
  await pace.rest();
  signal?.throwIfAborted();
}
