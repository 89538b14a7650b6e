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

/** Two tries that must be compared below a path, or a difference that was already found. */
type Pending =
  | { readonly path: string; readonly before: Cid | undefined; readonly after: Cid | undefined }
  | { readonly change: KeyChange };

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
  const stack: Pending[] = [{ path: '', before, after }];
  // Children of both tries can be equal, and are then not needed.
  const prefetch = createShardPrefetch(read, () => []);
  const isUnread = (cid: Cid | undefined) => cid !== undefined && read.peek?.(cid) === undefined;
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if ('change' in next) {
      yield next.change;
      continue;
    }
    if (next.before === next.after) continue;
    if (isUnread(next.before) || isUnread(next.after)) await prefetch(shardsOf([...stack, next]));
    const found = await differencesBelow(read, next.path, next.before, next.after);
    // This is a stack: the item pushed last is processed first.
    for (let at = found.length - 1; at >= 0; at--) {
      const one = found[at];
      if (one !== undefined) stack.push(one);
    }
  }
}

/** Returns the shards that a walk with this stack reads next. */
const shardsOf = (stack: readonly Pending[]): Cid[] =>
  stack
    .toReversed()
    .flatMap((one) => ('change' in one ? [] : [one.before, one.after]))
    .filter((cid) => cid !== undefined);

async function differencesBelow(
  read: ReadShard,
  path: string,
  before: Cid | undefined,
  after: Cid | undefined,
): Promise<Pending[]> {
  const [old, now] = await Promise.all([entriesAt(read, path, before), entriesAt(read, path, after)]);
  const characters = [...new Set([...old.keys(), ...now.keys()])].sort();
  const found: Pending[] = [];
  for (const character of characters) {
    const [a, b] = [old.get(character), now.get(character)];
    if (a?.key === b?.key && a?.value === b?.value && a?.child === b?.child) continue;
    if (a?.child !== undefined && b?.child !== undefined) {
      const key = path + character;
      if (a.value !== b.value) found.push({ change: { key, before: a.value, after: b.value } });
      found.push({ path: key, before: a.child, after: b.child });
    } else append(found, await changesBetween(read, path, a, b));
  }
  return found;
}

async function entriesAt(
  read: ReadShard,
  path: string,
  cid: Cid | undefined,
): Promise<ReadonlyMap<string, ShardEntry>> {
  if (cid === undefined) return new Map();
  const shard = await readShardAt(read, cid, path);
  return new Map(shard.entries.map((entry) => [entry.key.charAt(0), entry]));
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
): Promise<Pending[]> {
  const [old, now] = [await keysOf(read, path, before), await keysOf(read, path, after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .sort()
    .map((key) => ({ key, before: old.get(key), after: now.get(key) }))
    .filter((change) => change.before !== change.after)
    .map((change) => ({ change }));
}

async function keysOf(
  read: ReadShard,
  path: string,
  entry: ShardEntry | undefined,
): Promise<ReadonlyMap<string, Cid>> {
  const found = new Map<string, Cid>();
  if (entry === undefined) return found;
  const key = path + entry.key;
  if (entry.value !== undefined) found.set(key, entry.value);
  if (entry.child !== undefined)
    for await (const [below, value] of entries(read, entry.child, { at: key })) found.set(below, value);
  return found;
}
