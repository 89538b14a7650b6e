import { FixpointError } from '@fixpoint/protocol';
import type { Block } from '../codec/block.ts';
import type { Cid } from '../codec/cid.ts';
import { entryFor } from './get.ts';
import type { TrieUpdate } from './put-many.ts';
import { encodeShard, type ReadShard, type Shard, type ShardEntry } from './shard.ts';

/**
 * Removes a key, with the semantics of `del` events. Splits of shards aren't undone. When a shard
 * becomes empty, its entry in the parent is removed together with the value of that entry. So after
 * removals, unlike after puts, the root depends on the history. Removing a missing key changes
 * nothing.
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function removeKey(read: ReadShard, root: Cid, key: string): Promise<TrieUpdate> {
  const path: { shard: Shard; entry: ShardEntry }[] = [];
  let shard = await read(root);
  for (;;) {
    const at = path.length;
    const entry = entryFor(shard, key.charAt(at));
    if (entry === undefined) return { root, added: [] };
    path.push({ shard, entry });
    if (entry.child === undefined || at + 1 === key.length) break;
    shard = await read(entry.child);
    if (shard.prefix.length !== at + 1) throw new FixpointError('CORRUPT', 'misplaced shard');
  }
  const last = path.at(-1);
  if (last === undefined || last.entry.value === undefined) return { root, added: [] };
  if (last.entry.child === undefined && last.entry.key !== key.slice(path.length - 1))
    return { root, added: [] };
  return rewrite(
    path,
    last.entry.child === undefined ? undefined : { ...last.entry, value: undefined },
    read,
  );
}

/**
 * Rewrites the shards of a path, from the last shard to the root. In the last shard, the entry is
 * replaced or, if the replacement is undefined, removed.
 */
function rewrite(
  path: readonly { shard: Shard; entry: ShardEntry }[],
  replacement: ShardEntry | undefined,
  read: ReadShard,
): TrieUpdate {
  const added: Block[] = [];
  let after = replacement;
  let root: Cid | undefined;
  for (let at = path.length - 1; at >= 0; at--) {
    const step = path[at];
    if (step === undefined) continue;
    const entries = step.shard.entries.flatMap((entry) => (entry !== step.entry ? [entry] : (after ?? [])));
    if (entries.length === 0 && at > 0) {
      after = undefined;
      continue;
    }
    const shard = { prefix: step.shard.prefix, entries };
    const block = encodeShard(shard);
    added.push(block);
    read.keep?.(block.cid, shard);
    root = block.cid;
    const parent = path[at - 1];
    after = parent && { ...parent.entry, child: block.cid };
  }
  if (root === undefined) throw new Error('a path has at least the root');
  return { root, added };
}
