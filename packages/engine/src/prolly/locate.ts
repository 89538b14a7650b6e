import type { Cid } from '../codec/cid.ts';
import { type Entry, isLeaf, type Leaf, type Node, type ReadNode, type Value } from './node.ts';

/**
 * A node and the end of its key range. `end` is the first key of the next node on the same level,
 * or undefined if there is no next node.
 */
export interface Place {
  readonly cid: Cid;
  readonly node: Node;
  readonly end: string | undefined;
}

/** Returns the node of a level that contains the key, or would contain it. */
export async function locate(read: ReadNode, root: Cid, level: number, key: string): Promise<Place> {
  let cid = root;
  let node = await read(cid);
  let end: string | undefined;
  while (node.level > level && !isLeaf(node)) {
    const at = Math.max(0, firstAfter(node.entries, key) - 1);
    end = node.entries[at + 1]?.[0] ?? end;
    cid = node.entries[at]?.[1] ?? cid;
    node = await read(cid);
  }
  return { cid, node, end };
}

/** Returns the position of the first entry with a greater key. */
export function firstAfter(entries: readonly Entry<unknown>[], key: string): number {
  return search(entries, (other) => other > key);
}

/** Returns the position of the first entry with this key or a greater one. */
export function firstFrom(entries: readonly Entry<unknown>[], key: string): number {
  return search(entries, (other) => other >= key);
}

function search(entries: readonly Entry<unknown>[], beyond: (key: string) => boolean): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (beyond(entries[middle]?.[0] ?? '')) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Returns the values of those keys that the tree contains. Consecutive ascending keys in the same
 * leaf share one lookup.
 */
export async function getMany(
  read: ReadNode,
  root: Cid | undefined,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Value>> {
  const found = new Map<string, Value>();
  if (root === undefined) return found;
  let leaf: Leaf | undefined;
  let start = '';
  let end: string | undefined;
  for (const key of keys) {
    if (leaf === undefined || key < start || (end !== undefined && key >= end)) {
      const place = await locate(read, root, 0, key);
      leaf = place.node as Leaf;
      start = leaf.entries[0]?.[0] ?? '';
      end = place.end;
    }
    const entry = leaf.entries[firstFrom(leaf.entries, key)];
    if (entry !== undefined && entry[0] === key) found.set(key, entry[1]);
  }
  return found;
}
