import { isFixpointError } from '@fixpoint/protocol';
import type { Block } from '../codec/block.ts';
import type { Cid } from '../codec/cid.ts';
import { createShardPrefetch } from './prefetch-shards.ts';
import { decodeShard, type ReadShard, readShardAt } from './shard.ts';

/** Called with each shard that the known trie lacks, and with the top shard of each shared part. */
type Met = (cid: Cid, isKnown: boolean) => void;

/** Like {@link isWhole}, for a trie with shards that aren't stored yet. */
export const isWholeWith = (
  made: readonly Block[],
  read: ReadShard,
  root: Cid | undefined,
  known: Cid | undefined,
  met?: Met,
): Promise<boolean> => isWhole(shardsWith(made, read), root, known, met);

/**
 * Returns whether all shards of a trie can be read, and are at the path that they name. Skips
 * shards that the trie shares with `known`, the root of a trie that can be read.
 * @throws FixpointError CORRUPT
 */
export async function isWhole(
  read: ReadShard,
  root: Cid | undefined,
  known: Cid | undefined,
  met?: Met,
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

/** Returns a reader that also finds shards that aren't stored yet. */
function shardsWith(unstored: readonly Block[], read: ReadShard): ReadShard {
  const made = new Map(unstored.map(({ cid, bytes }) => [cid, bytes]));
  const shard: ReadShard = async (cid) => {
    const bytes = read.peek?.(cid) === undefined ? made.get(cid) : undefined;
    return bytes === undefined ? read(cid) : decodeShard(bytes);
  };
  return Object.assign(shard, {
    peek: (cid: Cid) => read.peek?.(cid),
    ahead: async (cids: readonly Cid[]) => read.ahead?.(cids.filter((cid) => !made.has(cid))),
  });
}
