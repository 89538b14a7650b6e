import { isFixpointError } from '@fixpoint/protocol';
import type { Cid } from '../codec/cid.ts';
import { diffTries } from '../trie/diff.ts';
import type { ReadShard } from '../trie/shard.ts';

/**
 * Returns whether all shards of a trie can be read. Skips shards shared with `known`, a trie that
 * can be read.
 * @throws FixpointError CORRUPT
 */
export async function isWhole(
  read: ReadShard,
  root: Cid | undefined,
  known: Cid | undefined,
): Promise<boolean> {
  try {
    // The diff reads every differing shard, each at its place.
    for await (const _ of diffTries(read, known, root));
  } catch (cause) {
    if (isFixpointError(cause, 'MISSING_BLOCK')) return false;
    throw cause;
  }
  return true;
}
