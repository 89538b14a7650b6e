import type { Cid } from '../codec/cid.ts';
import { createShardPrefetch } from './prefetch-shards.ts';
import { type ReadShard, readShardAt, type Shard, type ShardEntry } from './shard.ts';

/** The keys to list; all by default. */
export interface KeyRange {
  readonly prefix?: string | undefined;
  /** The smallest key, inclusive. */
  readonly from?: string | undefined;
  /** The greatest key, inclusive. */
  readonly to?: string | undefined;
  readonly descending?: boolean | undefined;
  /** The path of the shard to start with, if it isn't the root. */
  readonly at?: string | undefined;
}

type Entry = readonly [key: string, value: Cid];

/** Pending work: a key, or all keys below a path. */
interface Pending {
  readonly path: string;
  readonly value: Cid | undefined;
  readonly child: Cid | undefined;
}

/**
 * Yields keys with their links in key order. Reads no shards outside of the range.
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function* entries(read: ReadShard, root: Cid, range: KeyRange = {}): AsyncGenerator<Entry> {
  const stack: Pending[] = [{ path: range.at ?? '', value: undefined, child: root }];
  const prefetch = createShardPrefetch(read, (shard) => childrenIn(shard, range));
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { path, value, child } = next;
    if (value !== undefined) yield [path, value];
    if (child === undefined) continue;
    if (read.peek?.(child) === undefined) await prefetch([child, ...shardsOf(stack)]);
    const shard = await readShardAt(read, child, path);
    // This is a stack: the item pushed last is listed first.
    if (range.descending) for (const entry of shard.entries) push(stack, path, entry, range);
    else for (let at = shard.entries.length - 1; at >= 0; at--) push(stack, path, shard.entries[at], range);
  }
}

/** Returns the shards that a walk with this stack reads next. */
const shardsOf = (stack: readonly Pending[]): Cid[] =>
  stack.toReversed().flatMap(({ child }) => (child === undefined ? [] : [child]));

/** Returns the children that a walk reads, in its order. */
function childrenIn({ prefix, entries: all }: Shard, range: KeyRange): Cid[] {
  const children = all.flatMap(({ key, child }) =>
    child !== undefined && reachesBelow(range, prefix + key) ? [child] : [],
  );
  return range.descending ? children.reverse() : children;
}

function push(stack: Pending[], parent: string, entry: ShardEntry | undefined, range: KeyRange): void {
  if (entry === undefined) return;
  const path = parent + entry.key;
  const value = entry.value !== undefined && holdsKey(range, path) ? entry.value : undefined;
  const child = entry.child !== undefined && reachesBelow(range, path) ? entry.child : undefined;
  if (value !== undefined && child !== undefined && range.descending) {
    stack.push({ path, value, child: undefined }, { path, value: undefined, child });
  } else if (value !== undefined || child !== undefined) {
    stack.push({ path, value, child });
  }
}

function holdsKey({ prefix, from, to }: KeyRange, key: string): boolean {
  if (prefix !== undefined && !key.startsWith(prefix)) return false;
  if (from !== undefined && key < from) return false;
  return to === undefined || key <= to;
}

/** Returns whether longer keys that start with the path can be in the range. */
function reachesBelow({ prefix, from, to }: KeyRange, path: string): boolean {
  if (prefix !== undefined && !path.startsWith(prefix) && !prefix.startsWith(path)) return false;
  if (from !== undefined && path < from && !from.startsWith(path)) return false;
  return to === undefined || path < to;
}
