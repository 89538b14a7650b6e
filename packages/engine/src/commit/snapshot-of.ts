import { isFixpointError } from '@fixpoint/protocol';
import type { Head } from '../clock/event.ts';
import { rootOfHead, type TrieReaders } from '../clock/root-of-head.ts';
import type { Cid } from '../codec/cid.ts';
import { diffTries } from '../trie/diff.ts';
import { decodeShard, type ReadShard } from '../trie/shard.ts';
import type { Readers, Snapshot } from './snapshot.ts';

/** Rebuilds past tries that compaction dropped (rebuild.ts). The code loads lazily. */
export type Rebuild = (head: Head, readers: Readers) => Promise<Snapshot>;

/**
 * Returns the snapshot of a head. If a merge needs a past trie that compaction dropped, rebuilds
 * that trie.
 * @param known a root whose trie can be read; if absent, the trie of the head is assumed to be
 * complete
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function snapshotOf(
  head: Head,
  readers: Readers & Pick<TrieReaders, 'rootOf'>,
  rebuild: Rebuild,
  known?: { readonly root: Cid | undefined },
): Promise<Snapshot> {
  try {
    const { root, added: merged } = await rootOfHead(head, readers);
    const made = new Map(merged.map(({ cid, bytes }) => [cid, decodeShard(bytes)]));
    const shard: ReadShard = async (cid) => made.get(cid) ?? readers.shard(cid);
    if (known === undefined || (await isWhole(shard, root, known.root))) return { head, root, merged };
  } catch (cause) {
    if (!isFixpointError(cause, 'MISSING_BLOCK')) throw cause;
  }
  return rebuild(head, readers);
}

/**
 * Returns whether all shards of a trie can be read. Skips shards that the trie shares with `known`,
 * the root of a trie that can be read.
 * @throws FixpointError CORRUPT
 */
export async function isWhole(
  read: ReadShard,
  root: Cid | undefined,
  known: Cid | undefined,
): Promise<boolean> {
  try {
    // The diff reads every differing shard, and checks that the shard's prefix is the path to it.
    for await (const _ of diffTries(read, known, root));
  } catch (cause) {
    if (isFixpointError(cause, 'MISSING_BLOCK')) return false;
    throw cause;
  }
  return true;
}
