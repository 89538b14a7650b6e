import { isFixpointError } from '@fixpoint/protocol';
import type { Head } from '../clock/event.ts';
import { rootOfHead, type TrieReaders } from '../clock/root-of-head.ts';
import type { Block } from '../codec/block.ts';
import type { Cid } from '../codec/cid.ts';
import type { Readers, Snapshot } from './snapshot.ts';

/** Rebuilds past tries that compaction dropped (rebuild.ts). The code loads lazily. */
export type Rebuild = (head: Head, readers: Readers) => Promise<Snapshot>;

/** Returns whether a trie is complete. `made` are shards of it that aren't stored yet. */
export type IsWhole = (root: Cid | undefined, made: readonly Block[]) => Promise<boolean>;

/**
 * Returns the snapshot of a head. If a merge needs a past trie that compaction dropped, rebuilds
 * that trie.
 * @param isWhole if absent, the trie of the head is assumed to be complete
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function snapshotOf(
  head: Head,
  readers: Readers & Pick<TrieReaders, 'rootOf'>,
  rebuild: Rebuild,
  isWhole?: IsWhole,
): Promise<Snapshot> {
  try {
    const { root, added: merged } = await rootOfHead(head, readers);
    if (isWhole === undefined || (await isWhole(root, merged))) return { head, root, merged };
  } catch (cause) {
    if (!isFixpointError(cause, 'MISSING_BLOCK')) throw cause;
  }
  return rebuild(head, readers);
}
