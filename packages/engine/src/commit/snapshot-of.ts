import { isFixpointError } from '@fixpoint/protocol';
import type { Head } from '../clock/event.ts';
import { rootOfHead, type TrieReaders } from '../clock/root-of-head.ts';
import type { Cid } from '../codec/cid.ts';
import { decodeShard, type ReadShard } from '../trie/shard.ts';
import type { Readers, Snapshot } from './snapshot.ts';
import { isWhole } from './whole-trie.ts';

/**
 * Returns the snapshot of a head. Rebuilds a past trie that compaction dropped when a merge needs
 * it.
 * @param known a root whose trie can be read; without it, the trie of the head is assumed whole
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function snapshotOf(
  head: Head,
  readers: Readers & Pick<TrieReaders, 'rootOf'>,
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
  const { rebuiltSnapshot } = await import('./upkeep.ts');
  return rebuiltSnapshot(head, readers);
}
