import type { Cid } from '../codec/cid.ts';
import type { Head, Operation, ReadEvent } from './event.ts';
import { GENESIS_EVENT } from './genesis.ts';
import { walkBack } from './walk.ts';
import { orderByWeight } from './winning-order.ts';

export interface Change {
  readonly key: string;
  /** The newest event that wrote the key. */
  readonly event: Cid;
  /** The value it wrote: a document or the tombstone; undefined when it removed the key. */
  readonly value: Cid | undefined;
}

const KNOWN = 1n;
const NEW = 2n;

/**
 * Returns the keys written by events of `head` that `since` lacks, without the genesis. Each key
 * occurs once, by its newest event, oldest first. Includes every write in no ancestor of `since`.
 * May repeat keys of a branch older than where the walks met.
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function changesSince(head: Head, since: Head, read: ReadEvent): Promise<readonly Change[]> {
  return newestOfEachKey(await eventsSince(head, since, read), read);
}

/**
 * Returns the events of `head` that `since` lacks, oldest first. Omits none; may repeat events of a
 * branch older than where the walks met.
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function eventsSince(head: Head, since: Head, read: ReadEvent): Promise<readonly Cid[]> {
  const visits = await walkBack(
    [...since.map((cid) => [cid, KNOWN] as const), ...head.map((cid) => [cid, NEW] as const)],
    read,
    {
      isOpen: (reach) => reach !== (KNOWN | NEW),
      // A walk that reached a first event passed `since`, which may still be found below it.
      readsAll: (_, reach) => since.length > 0 && reach === NEW,
    },
  );
  const parentsOf = new Map<Cid, readonly Cid[]>();
  for (const [cid, { reach, parents }] of visits)
    if (reach === NEW)
      parentsOf.set(
        cid,
        parents.filter((parent) => visits.get(parent)?.reach === NEW),
      );
  return orderByWeight(head, parentsOf);
}

/**
 * Returns the newest changes of a head, oldest first: at least `limit` if there are that many.
 * While events are linear, it reads only as many as it needs.
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function newestChanges(head: Head, limit: number, read: ReadEvent): Promise<readonly Change[]> {
  const newestFirst = new Map<string, Change>();
  let [event, ...others]: readonly Cid[] = head;
  while (event !== undefined && others.length === 0 && newestFirst.size < limit) {
    const { operations, parents } = await read(event);
    takeNewest(newestFirst, event, operations);
    [event, ...others] = parents;
  }
  const isEnough = event === undefined || newestFirst.size >= limit;
  return isEnough ? [...newestFirst.values()].reverse() : changesSince(head, [], read);
}

/**
 * Returns whether a head descends from an event, or contains it.
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function descendsFrom(head: Head, event: Cid, read: ReadEvent): Promise<boolean> {
  const visits = await walkBack([[event, KNOWN], ...head.map((cid) => [cid, NEW] as const)], read, {
    isOpen: (reach) => reach === NEW,
  });
  return visits.get(event)?.reach === (KNOWN | NEW);
}

/**
 * Returns whether each event since then has the previous one as its only parent. If so, only the
 * keys that they wrote changed. When histories meet, a different one of two known writes may win.
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function followsInLine(head: Head, since: Head, read: ReadEvent): Promise<boolean> {
  const [first, ...others] = since;
  if (first === undefined || others.length > 0) return false;
  let [event, ...rest]: readonly Cid[] = head;
  while (event !== undefined && rest.length === 0) {
    if (event === first) return true;
    [event, ...rest] = (await read(event)).parents;
  }
  return false;
}

async function newestOfEachKey(events: readonly Cid[], read: ReadEvent): Promise<readonly Change[]> {
  const newestFirst = new Map<string, Change>();
  for (const event of events.toReversed()) takeNewest(newestFirst, event, (await read(event)).operations);
  return [...newestFirst.values()].reverse();
}

/** Adds the keys of an event that no newer one wrote. */
function takeNewest(newestFirst: Map<string, Change>, event: Cid, operations: readonly Operation[]): void {
  if (event === GENESIS_EVENT) return;
  for (const { key, value } of operations.toReversed())
    if (!newestFirst.has(key)) newestFirst.set(key, { key, event, value });
}
