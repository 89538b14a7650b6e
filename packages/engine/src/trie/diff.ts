import { append } from '../base/append.ts';
import type { Cid } from '../codec/cid.ts';
import { entries } from './entries.ts';
import { createShardPrefetch } from './prefetch-shards.ts';
import { type ReadShard, readShardAt, type ShardEntry } from './shard.ts';

export interface KeyChange {
  readonly key: string;
  readonly before: Cid | undefined;
  readonly after: Cid | undefined;
}

/** Two tries that must be compared below a path, or differences that were already found. */
type Pending =
  | { readonly path: string; readonly before: Cid | undefined; readonly after: Cid | undefined }
  | { readonly changes: KeyChange[] };

/**
 * Yields the keys with different values in two tries, in key order. Skips shared shards, so the
 * cost depends on the changes, not on the size of the tries. An undefined root is an empty trie.
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function* diffTries(
  read: ReadShard,
  before: Cid | undefined,
  after: Cid | undefined,
): AsyncGenerator<KeyChange> {
  for await (const changes of diffTriesInRuns(read, before, after)) yield* changes;
}

/** Yields the same as {@link diffTries}, many keys at once, which takes less time. */
export async function* diffTriesInRuns(
  read: ReadShard,
  before: Cid | undefined,
  after: Cid | undefined,
): AsyncGenerator<readonly KeyChange[]> {
  const stack: Pending[] = [{ path: '', before, after }];
  // Don't prefetch children, because children that are equal in both tries aren't read.
  const prefetch = createShardPrefetch(read, () => []);
  const isUnread = (cid: Cid | undefined) =>
    cid !== undefined && read.ahead !== undefined && read.peek?.(cid) === undefined;
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if ('changes' in next) {
      yield next.changes;
      continue;
    }
    if (next.before === next.after) continue;
    if (isUnread(next.before) || isUnread(next.after)) await prefetch(shardsOf([...stack, next]));
    const found = await differencesBelow(read, next.path, next.before, next.after);
    // This is a stack: the item pushed last is processed first.
    append(stack, found.reverse());
  }
}

/** Returns the shards that a walk with this stack reads next. */
const shardsOf = (stack: readonly Pending[]): Cid[] =>
  stack
    .toReversed()
    .flatMap((one) => ('changes' in one ? [] : [one.before, one.after]))
    .filter((cid) => cid !== undefined);

async function differencesBelow(
  read: ReadShard,
  path: string,
  before: Cid | undefined,
  after: Cid | undefined,
): Promise<Pending[]> {
  const old = before === undefined ? [] : (await readShardAt(read, before, path)).entries;
  const now = after === undefined ? [] : (await readShardAt(read, after, path)).entries;
  const found: Pending[] = [];
  function add(changes: KeyChange[]): void {
    const last = found.at(-1);
    if (last !== undefined && 'changes' in last) append(last.changes, changes);
    else if (changes.length > 0) found.push({ changes });
  }
  for (let [left, right] = [0, 0]; left < old.length || right < now.length; ) {
    const [first, second] = [old[left]?.key.charAt(0), now[right]?.key.charAt(0)];
    const a = second === undefined || (first !== undefined && first <= second) ? old[left++] : undefined;
    const b = first === undefined || (second !== undefined && second <= first) ? now[right++] : undefined;
    if (a?.key === b?.key && a?.value === b?.value && a?.child === b?.child) continue;
    if (a?.child !== undefined && b?.child !== undefined) {
      const key = path + a.key;
      if (a.value !== b.value) add([{ key, before: a.value, after: b.value }]);
      found.push({ path: key, before: a.child, after: b.child });
    } else add(await changesBetween(read, path, a, b));
  }
  return found;
}

/**
 * Compares two entries of which at most one has a child. The entry without a child has at most one
 * key, so all other keys below the child differ.
 */
async function changesBetween(
  read: ReadShard,
  path: string,
  before: ShardEntry | undefined,
  after: ShardEntry | undefined,
): Promise<KeyChange[]> {
  const [old, now] = [await keysOf(read, path, before), await keysOf(read, path, after)];
  if (old.length === 0) return now.map(([key, value]) => ({ key, before: undefined, after: value }));
  if (now.length === 0) return old.map(([key, value]) => ({ key, before: value, after: undefined }));
  const [oldValues, newValues] = [new Map(old), new Map(now)];
  return [...new Set([...oldValues.keys(), ...newValues.keys()])]
    .sort()
    .map((key) => ({ key, before: oldValues.get(key), after: newValues.get(key) }))
    .filter((change) => change.before !== change.after);
}

type Pair = readonly [key: string, value: Cid];

async function keysOf(read: ReadShard, path: string, entry: ShardEntry | undefined): Promise<Pair[]> {
  if (entry === undefined) return [];
  const key = path + entry.key;
  const found: Pair[] = entry.value === undefined ? [] : [[key, entry.value]];
  if (entry.child === undefined) return found;
  const cached = cachedBelow(read, key, entry.child);
  if (cached !== undefined) append(found, cached);
  else for await (const pair of entries(read, entry.child, { at: key })) found.push(pair);
  return found;
}

/**
 * Returns the keys below a path if all shards are cached. A walk without promises takes a fraction
 * of the time.
 */
function cachedBelow(read: ReadShard, path: string, root: Cid): Pair[] | undefined {
  const found: Pair[] = [];
  const stack: {
    readonly path: string;
    readonly value?: Cid | undefined;
    readonly child?: Cid | undefined;
  }[] = [{ path, child: root }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (next.value !== undefined) found.push([next.path, next.value]);
    if (next.child === undefined) continue;
    const shard = read.peek?.(next.child);
    if (shard?.prefix !== next.path) return undefined;
    for (let at = shard.entries.length - 1; at >= 0; at--) {
      const { key, value, child } = shard.entries[at] as ShardEntry;
      stack.push({ path: next.path + key, value, child });
    }
  }
  return found;
}
