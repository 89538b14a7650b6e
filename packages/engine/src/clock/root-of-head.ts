/**
 * Computes the trie of several concurrent events. The computation starts with the recorded trie of
 * their common ancestor, and applies all later operations. Every replica computes the same order of
 * these operations (winning-order.ts). The last write of a key wins.
 */
import { append } from '../base/append.ts';
import type { Block } from '../codec/block.ts';
import type { Cid } from '../codec/cid.ts';
import { applyOperations } from '../trie/apply.ts';
import type { ReadShard } from '../trie/shard.ts';
import { commonAncestor } from './common-ancestor.ts';
import type { Head, Operation, ReadEvent } from './event.ts';
import { orderByWeight } from './winning-order.ts';

export interface TrieReaders {
  readonly event: ReadEvent;
  /**
   * Returns the root that an event recorded. Only readers for which this is faster than reading the
   * whole event have this method.
   */
  readonly rootOf?: (event: Cid) => Promise<Cid>;
  readonly shard: ReadShard;
}

/** The trie of a head, with the shards that aren't stored yet. */
export interface HeadTrie {
  /** Undefined for an empty head. */
  readonly root: Cid | undefined;
  readonly added: readonly Block[];
}

/** Returns the trie of a head. @throws FixpointError MISSING_BLOCK, CORRUPT */
export async function rootOfHead(head: Head, read: TrieReaders): Promise<HeadTrie> {
  const [only, ...others] = head;
  if (others.length === 0) return { root: only && (await rootOf(only, read)), added: [] };
  const ancestor = await commonAncestor(head, read.event);
  const operations: Operation[] = [];
  for (const cid of await replayOrder(head, ancestor, read.event))
    for (const operation of (await read.event(cid)).operations) operations.push(operation);
  return applyOperations(read.shard, ancestor && (await rootOf(ancestor, read)), operations);
}

const rootOf = async (cid: Cid, read: TrieReaders): Promise<Cid> =>
  read.rootOf === undefined ? (await read.event(cid)).root : read.rootOf(cid);

/**
 * Returns the events between the head and the ancestor, in replay order. A path stops at an event
 * whose only parent is the ancestor. Other paths continue to the first event.
 */
async function replayOrder(head: Head, ancestor: Cid | undefined, read: ReadEvent): Promise<readonly Cid[]> {
  const parentsOf = new Map<Cid, readonly Cid[]>();
  const waiting = [...head];
  for (let cid = waiting.pop(); cid !== undefined; cid = waiting.pop()) {
    if (parentsOf.has(cid)) continue;
    const { parents } = await read(cid);
    const endsHere = parents.length === 1 && parents[0] === ancestor;
    parentsOf.set(cid, endsHere ? [] : parents);
    if (!endsHere) append(waiting, parents);
  }
  return orderByWeight(head, parentsOf);
}
