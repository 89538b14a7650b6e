import type { Block } from '../codec/block.ts';
import type { Cid } from '../codec/cid.ts';
import { putMany, type TrieUpdate } from './put-many.ts';
import { removeKey } from './remove.ts';
import { decodeShard, EMPTY_SHARD, type ReadShard } from './shard.ts';

export interface TrieOperation {
  readonly key: string;
  /** Undefined removes the key. */
  readonly value: Cid | undefined;
}

/**
 * Applies all operations in order and returns the resulting trie. The result contains no
 * intermediate shards.
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function applyOperations(
  read: ReadShard,
  root: Cid | undefined,
  operations: readonly TrieOperation[],
): Promise<TrieUpdate> {
  const made = new Map<Cid, Block>();
  const readMade: ReadShard = async (cid) => {
    const block = made.get(cid);
    return block === undefined ? read(cid) : decodeShard(block.bytes);
  };
  let current = root;
  let puts = new Map<string, Cid>();
  const step = ({ root: next, added }: TrieUpdate) => {
    current = next;
    for (const block of added) made.set(block.cid, block);
  };
  for (const { key, value } of operations) {
    if (value !== undefined) {
      puts.set(key, value);
      continue;
    }
    step(await putMany(readMade, current, puts));
    puts = new Map();
    if (current !== undefined) step(await removeKey(readMade, current, key));
  }
  // The common case: without removals there are no intermediate shards.
  if (made.size === 0) return putMany(read, current, puts);
  step(await putMany(readMade, current, puts));
  return { root: current ?? EMPTY_SHARD.cid, added: reachable(current, made) };
}

/** Returns the new blocks that the root needs, children before parents. */
function reachable(root: Cid | undefined, made: ReadonlyMap<Cid, Block>): readonly Block[] {
  const needed: Block[] = [];
  const waiting: (Cid | undefined)[] = [root];
  while (waiting.length > 0) {
    const cid = waiting.pop();
    const block = cid === undefined ? undefined : made.get(cid);
    if (block === undefined) continue;
    needed.push(block);
    for (const { child } of decodeShard(block.bytes).entries) waiting.push(child);
  }
  return needed.reverse();
}
