import { isFixpointError } from '@fixpoint/protocol';
import type { Head } from '../clock/event.ts';
import { rootOfHead, type TrieReaders } from '../clock/root-of-head.ts';
import type { Block } from '../codec/block.ts';
import type { Cid } from '../codec/cid.ts';
import { createShardPrefetch } from '../trie/prefetch-shards.ts';
import { decodeShard, type ReadShard, readShardAt } from '../trie/shard.ts';
import type { Readers, Snapshot } from './snapshot.ts';

/** Rebuilds past tries that compaction dropped (rebuild.ts). The code loads lazily. */
export type Rebuild = (head: Head, readers: Readers) => Promise<Snapshot>;

export interface KnownTrie {
  readonly root: Cid | undefined;
  /** Called as {@link isWhole} says. */
  readonly met?: ((cid: Cid, isKnown: boolean) => void) | undefined;
}

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
  known?: KnownTrie,
): Promise<Snapshot> {
  try {
    const { root, added: merged } = await rootOfHead(head, readers);
    const shard = shardsWith(merged, readers.shard);
    if (known === undefined || (await isWhole(shard, root, known.root, known.met)))
      return { head, root, merged };
  } catch (cause) {
    if (!isFixpointError(cause, 'MISSING_BLOCK')) throw cause;
  }
  return rebuild(head, readers);
}

/** Returns a reader that also finds shards that aren't stored yet. */
function shardsWith(merged: readonly Block[], read: ReadShard): ReadShard {
  const made = new Map(merged.map(({ cid, bytes }) => [cid, bytes]));
  const shard: ReadShard = async (cid) => {
    const bytes = read.peek?.(cid) === undefined ? made.get(cid) : undefined;
    return bytes === undefined ? read(cid) : decodeShard(bytes);
  };
  return Object.assign(shard, {
    peek: (cid: Cid) => read.peek?.(cid),
    ahead: async (cids: readonly Cid[]) => read.ahead?.(cids.filter((cid) => !made.has(cid))),
  });
}

/**
 * Returns whether all shards of a trie can be read, and are at the path that they name. Skips
 * shards that the trie shares with `known`, the root of a trie that can be read.
 * @param met called with each shard that isn't shared, and with the top of each part that is
 * @throws FixpointError CORRUPT
 */
export async function isWhole(
  read: ReadShard,
  root: Cid | undefined,
  known: Cid | undefined,
  met?: KnownTrie['met'],
): Promise<boolean> {
  const stack = [{ path: '', cid: root, known }];
  const prefetch = createShardPrefetch(read, () => []);
  try {
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const { path } = next;
      if (next.cid === undefined) continue;
      met?.(next.cid, next.cid === next.known);
      if (next.cid === next.known) continue;
      if (read.ahead !== undefined && read.peek?.(next.cid) === undefined)
        await prefetch([next, ...stack.toReversed()].flatMap(({ cid }) => cid ?? []));
      const { entries } = await readShardAt(read, next.cid, path);
      const before = next.known === undefined ? [] : (await readShardAt(read, next.known, path)).entries;
      let place = 0;
      for (const { key, child } of entries) {
        if (child === undefined) continue;
        while ((before[place]?.key.charAt(0) ?? key) < key) place++;
        const same = before[place];
        stack.push({ path: path + key, cid: child, known: same?.key === key ? same.child : undefined });
      }
    }
  } catch (cause) {
    if (isFixpointError(cause, 'MISSING_BLOCK')) return false;
    throw cause;
  }
  return true;
}
