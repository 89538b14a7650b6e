import type { Block } from '../codec/block.ts';
import type { Cid } from '../codec/cid.ts';
import { entryFor } from './get.ts';
import { encodeShard, type ReadShard, type Shard, type ShardEntry } from './shard.ts';

export interface TrieUpdate {
  readonly root: Cid;
  /** New shards, children before parents; each was encoded once. */
  readonly added: readonly Block[];
}

type Put = readonly [rest: string, value: Cid];

/** The trie after all puts; the last put of a key wins. The same map gives the same root, in whatever order and number of steps it was written. */
export async function putMany(
  read: ReadShard,
  root: Cid | undefined,
  puts: Iterable<readonly [key: string, value: Cid]>,
): Promise<TrieUpdate> {
  const added: Block[] = [];
  const byKey = new Map(puts);
  const before = root === undefined ? { prefix: '', entries: [] } : await read(root);
  const after = await updateShard(read, before, [...byKey], added);
  if (root !== undefined && after === before) return { root, added: [] };
  return { root: emit(after, added), added };
}

function emit(shard: Shard, added: Block[]): Cid {
  const block = encodeShard(shard);
  added.push(block);
  return block.cid;
}

/** The shard with the puts; the same object when nothing changed. */
async function updateShard(
  read: ReadShard,
  shard: Shard,
  puts: readonly Put[],
  added: Block[],
): Promise<Shard> {
  const changed = new Map<string, ShardEntry>();
  for (const [char, group] of groupByFirst(puts)) {
    const before = entryFor(shard, char);
    const after = await updateEntry(read, shard.prefix, before, char, group, added);
    if (after !== before) changed.set(char, after);
  }
  if (changed.size === 0) return shard;
  const kept = shard.entries.filter(({ key }) => !changed.has(key.charAt(0)));
  const entries = [...kept, ...changed.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  return { prefix: shard.prefix, entries };
}

async function updateEntry(
  read: ReadShard,
  prefix: string,
  before: ShardEntry | undefined,
  char: string,
  puts: readonly Put[],
  added: Block[],
): Promise<ShardEntry> {
  if (before?.child === undefined) return combine(prefix, before, char, puts, added);
  const below = puts.filter(([rest]) => rest.length > 1).map(([rest, value]): Put => [rest.slice(1), value]);
  const value = puts.find(([rest]) => rest.length === 1)?.[1] ?? before.value;
  const childBefore = await read(before.child);
  const childAfter = await updateShard(read, childBefore, below, added);
  if (childAfter === childBefore && value === before.value) return before;
  return { key: char, value, child: childAfter === childBefore ? before.child : emit(childAfter, added) };
}

/** The entry for one key that was there, if any, and the keys that come. */
function combine(
  prefix: string,
  before: ShardEntry | undefined,
  char: string,
  puts: readonly Put[],
  added: Block[],
): ShardEntry {
  const byRest = new Map(puts);
  if (before?.value !== undefined) {
    const replaced = byRest.get(before.key);
    if (byRest.size === 1 && replaced === before.value) return before;
    if (replaced === undefined) byRest.set(before.key, before.value);
  }
  return buildEntry(prefix, char, [...byRest], added);
}

function buildEntry(prefix: string, char: string, items: readonly Put[], added: Block[]): ShardEntry {
  const [only] = items;
  if (items.length === 1 && only !== undefined) return { key: only[0], value: only[1], child: undefined };
  const value = items.find(([rest]) => rest.length === 1)?.[1];
  const below = items.filter(([rest]) => rest.length > 1).map(([rest, link]): Put => [rest.slice(1), link]);
  const entries = [...groupByFirst(below)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([first, group]) => buildEntry(prefix + char, first, group, added));
  return { key: char, value, child: emit({ prefix: prefix + char, entries }, added) };
}

function groupByFirst(puts: readonly Put[]): Map<string, Put[]> {
  const groups = new Map<string, Put[]>();
  for (const put of puts) {
    const char = put[0].charAt(0);
    const group = groups.get(char);
    if (group === undefined) groups.set(char, [put]);
    else group.push(put);
  }
  return groups;
}
