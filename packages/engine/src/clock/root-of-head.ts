/**
 * The trie that several concurrent events give: the recorded root of their common ancestor, and on it the operations since, in an order that every
 * replica computes alike: events by weight descending, then by CID text ascending; the last write of a key wins. The weight of an event is the sum
 * of the lengths of all paths that lead to it from the head, so the write nearest to the head wins.
 */
import type { Cid } from '../codec/cid.ts';
import { putMany, type TrieUpdate } from '../trie/put-many.ts';
import type { ReadShard } from '../trie/shard.ts';
import type { Head, ReadEvent } from './event.ts';

export interface TrieReaders {
  readonly event: ReadEvent;
  readonly shard: ReadShard;
}

/** @throws FixpointError MISSING_BLOCK, CORRUPT */
export async function rootOfHead(head: Head, read: TrieReaders): Promise<TrieUpdate | undefined> {
  const [only] = head;
  if (only === undefined) return undefined;
  if (head.length === 1) return { root: (await read.event(only)).root, added: [] };
  const ancestor = await commonAncestor(head, read.event, new Map());
  const puts = new Map<string, Cid>();
  for (const cid of await replayOrder(head, ancestor, read.event)) {
    for (const { key, value } of (await read.event(cid)).operations) puts.set(key, value);
  }
  return putMany(read.shard, ancestor && (await read.event(ancestor)).root, puts);
}

/** Where the histories of all events meet, or undefined when they have different first events. */
async function commonAncestor(
  events: readonly Cid[],
  read: ReadEvent,
  memo: Map<string, Cid | undefined>,
): Promise<Cid | undefined> {
  const lists = events.map((event) => ({ last: event, seen: new Set([event]) }));
  const occurrences = new Map<Cid, number>();
  for (const event of events) occurrences.set(event, (occurrences.get(event) ?? 0) + 1);
  for (let moved = true; moved; ) {
    moved = false;
    for (const list of lists) {
      const next = await hop(list.last, read, memo);
      if (next === undefined || list.seen.has(next)) continue;
      moved = true;
      list.last = next;
      list.seen.add(next);
      const count = (occurrences.get(next) ?? 0) + 1;
      occurrences.set(next, count);
      if (count === lists.length) return next;
    }
  }
  return undefined;
}

/** The next element on the way back: the parent, or where several parents meet. */
async function hop(
  event: Cid,
  read: ReadEvent,
  memo: Map<string, Cid | undefined>,
): Promise<Cid | undefined> {
  if (memo.has(event)) return memo.get(event);
  const { parents } = await read(event);
  const next = parents.length > 1 ? await commonAncestor(parents, read, memo) : parents[0];
  memo.set(event, next);
  return next;
}

/** The events between the head and the ancestor, in the order of their replay. */
async function replayOrder(head: Head, ancestor: Cid | undefined, read: ReadEvent): Promise<Cid[]> {
  const parentsOf = new Map<Cid, readonly Cid[]>();
  const children = new Map<Cid, number>();
  const waiting = [...head];
  for (let cid = waiting.pop(); cid !== undefined; cid = waiting.pop()) {
    if (parentsOf.has(cid)) continue;
    const { parents } = await read(cid);
    const endsHere = parents.length === 1 && parents[0] === ancestor;
    parentsOf.set(cid, endsHere ? [] : parents);
    if (!endsHere)
      for (const parent of parents) {
        children.set(parent, (children.get(parent) ?? 0) + 1);
        waiting.push(parent);
      }
  }
  return byWeight(head, parentsOf, children);
}

/** Counts double with each criss-cross round, hence big integers. */
function byWeight(
  head: Head,
  parentsOf: ReadonlyMap<Cid, readonly Cid[]>,
  children: Map<Cid, number>,
): Cid[] {
  const paths = new Map<Cid, bigint>(head.map((cid) => [cid, 1n]));
  const weights = new Map<Cid, bigint>(head.map((cid) => [cid, 0n]));
  const ready = [...parentsOf.keys()].filter((cid) => (children.get(cid) ?? 0) === 0);
  for (let cid = ready.pop(); cid !== undefined; cid = ready.pop()) {
    const pathsHere = paths.get(cid) ?? 0n;
    const weightHere = weights.get(cid) ?? 0n;
    for (const parent of parentsOf.get(cid) ?? []) {
      paths.set(parent, (paths.get(parent) ?? 0n) + pathsHere);
      weights.set(parent, (weights.get(parent) ?? 0n) + weightHere + pathsHere);
      const left = (children.get(parent) ?? 0) - 1;
      children.set(parent, left);
      if (left === 0) ready.push(parent);
    }
  }
  return [...parentsOf.keys()].sort((a, b) => {
    const difference = (weights.get(b) ?? 0n) - (weights.get(a) ?? 0n);
    if (difference !== 0n) return difference > 0n ? 1 : -1;
    return a < b ? -1 : 1;
  });
}
