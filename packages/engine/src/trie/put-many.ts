import type { Block } from '../codec/block.ts';
import type { Cid } from '../codec/cid.ts';
import { getLinks } from './get.ts';
import { encodeShard, type ReadShard, readShardAt, type Shard, type ShardEntry } from './shard.ts';

export interface TrieUpdate {
  readonly root: Cid;
  /** New shards, children before parents. Each of them was encoded only once. */
  readonly added: readonly Block[];
}

type Put = readonly [key: string, value: Cid];

/**
 * The state of one call of {@link putMany}: the puts sorted by key, each key once, and the new
 * shards.
 */
interface Run {
  readonly read: ReadShard;
  readonly puts: readonly Put[];
  readonly added: Block[];
}

/**
 * Puts all keys and returns the resulting trie. The last put of a key wins. The root depends only
 * on the resulting map, not on the order or number of puts.
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function putMany(
  read: ReadShard,
  root: Cid | undefined,
  puts: Iterable<Put>,
): Promise<TrieUpdate> {
  const values = new Map(puts);
  // Sorting texts without a comparison function is much faster.
  const sorted = [...values.keys()].sort().map((key): Put => [key, values.get(key) as Cid]);
  const run: Run = { read, puts: sorted, added: [] };
  // Reads the shards of all keys together, because each may be in another archive.
  if (root !== undefined && sorted.length > 1 && read.ahead !== undefined)
    await getLinks(read, root, [...values.keys()]);
  const before = root === undefined ? { prefix: '', entries: [] } : await readShardAt(read, root, '');
  const after = await updateShard(run, before, 0, sorted.length);
  if (root !== undefined && after === before) return { root, added: [] };
  return { root: emit(run, after, before), added: run.added };
}

function emit({ read, added }: Run, { prefix, entries }: Shard, before?: Shard): Cid {
  const block = encodeShard({ prefix, entries }, before);
  added.push(block);
  read.keep?.(block.cid, { prefix, entries, bytes: block.bytes });
  return block.cid;
}

/**
 * Applies the puts from `start` to `end`, whose keys all start with the shard's prefix. Returns the
 * given shard if nothing changed.
 */
async function updateShard(run: Run, shard: Shard, start: number, end: number): Promise<Shard> {
  const depth = shard.prefix.length;
  const entries: ShardEntry[] = [];
  let changed = false;
  let kept = 0;
  for (let at = start; at < end; ) {
    const char = charOf(run.puts, at, depth);
    const groupEnd = endOfGroup(run.puts, at, end, depth);
    let before = shard.entries[kept];
    while (before !== undefined && before.key.charAt(0) < char) {
      entries.push(before);
      before = shard.entries[++kept];
    }
    const same = before !== undefined && before.key.charAt(0) === char ? before : undefined;
    if (same !== undefined) kept++;
    const after =
      same?.child === undefined
        ? combine(run, shard.prefix, same, at, groupEnd)
        : await updateEntry(run, shard.prefix, same, same.child, at, groupEnd);
    if (after !== same) changed = true;
    entries.push(after);
    at = groupEnd;
  }
  if (!changed) return shard;
  for (const rest of shard.entries.slice(kept)) entries.push(rest);
  return { prefix: shard.prefix, entries };
}

/** Applies the puts whose keys start with the path of an entry that has a child. */
async function updateEntry(
  run: Run,
  prefix: string,
  before: ShardEntry,
  child: Cid,
  start: number,
  end: number,
): Promise<ShardEntry> {
  const path = prefix + before.key;
  const [firstKey, firstValue] = run.puts[start] ?? [];
  const ownValue = firstKey === path ? firstValue : before.value;
  const below = firstKey === path ? start + 1 : start;
  let childAfter = child;
  if (below < end) {
    const shard = await readShardAt(run.read, child, path);
    const after = await updateShard(run, shard, below, end);
    if (after !== shard) childAfter = emit(run, after, shard);
  }
  if (childAfter === child && ownValue === before.value) return before;
  return { key: before.key, value: ownValue, child: childAfter };
}

/**
 * Builds one entry from puts whose keys continue with the same character, and from the existing
 * entry for that character, if any.
 */
function combine(
  run: Run,
  prefix: string,
  before: ShardEntry | undefined,
  start: number,
  end: number,
): ShardEntry {
  if (before?.value === undefined) return build(run, run.puts, start, end, prefix.length);
  const key = prefix + before.key;
  const items = run.puts.slice(start, end);
  const place = items.findIndex(([other]) => other >= key);
  if (items[place]?.[0] !== key) items.splice(place < 0 ? items.length : place, 0, [key, before.value]);
  else if (items.length === 1 && items[place]?.[1] === before.value) return before;
  return build(run, items, 0, items.length, prefix.length);
}

/** A shard that is being built. It has an `ownValue` if the path of the shard itself is a key. */
interface OpenShard {
  readonly entries: ShardEntry[];
  ownValue: Cid | undefined;
}

/**
 * Builds the entry of a new path from items that share the first `depth + 1` characters. Each key
 * is stored in the shard where it diverges from both neighbours. The function isn't recursive,
 * because long runs of equal characters create a shard for each character.
 */
function build(run: Run, items: readonly Put[], start: number, end: number, depth: number): ShardEntry {
  const [firstKey, firstValue] = items[start] ?? ['', undefined];
  if (end - start === 1) return { key: firstKey.slice(depth), value: firstValue, child: undefined };
  const open: OpenShard[] = [];
  let path = firstKey;
  /**
   * Closes all shards whose prefix is longer than `length`. Returns the entry of the last closed
   * shard.
   */
  const close = (length: number): ShardEntry | undefined => {
    let entry: ShardEntry | undefined;
    while (open.length > length - depth) {
      if (entry !== undefined) open.at(-1)?.entries.push(entry);
      const shard = open.pop();
      const prefix = path.slice(0, depth + open.length + 1);
      const child = emit(run, { prefix, entries: shard?.entries ?? [] });
      entry = { key: prefix.slice(-1), value: shard?.ownValue, child };
    }
    return entry;
  };
  let sharedBefore = 0;
  for (let at = start; at < end; at++) {
    const [key, value] = items[at] ?? ['', undefined];
    const sharedAfter = at + 1 < end ? sharedLength(key, items[at + 1]?.[0] ?? '') : 0;
    const closed = close(Math.max(sharedBefore, depth));
    if (closed !== undefined) open.at(-1)?.entries.push(closed);
    path = key;
    const place = Math.max(sharedBefore, sharedAfter);
    while (open.length < place - depth) open.push({ entries: [], ownValue: undefined });
    const shard = open.at(-1);
    if (key.length > place) shard?.entries.push({ key: key.slice(place), value, child: undefined });
    else if (shard !== undefined) shard.ownValue = value;
    sharedBefore = sharedAfter;
  }
  const entry = close(depth);
  if (entry === undefined) throw new Error('several keys have a shard');
  return entry;
}

function sharedLength(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at;
}

const charOf = (puts: readonly Put[], at: number, depth: number): string => puts[at]?.[0].charAt(depth) ?? '';

/**
 * Returns the end of the group of puts that have the same character at `depth` as the put at
 * `start`.
 */
function endOfGroup(puts: readonly Put[], start: number, end: number, depth: number): number {
  const char = charOf(puts, start, depth);
  let at = start + 1;
  while (at < end && charOf(puts, at, depth) === char) at++;
  return at;
}
