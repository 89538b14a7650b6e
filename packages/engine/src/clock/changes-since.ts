import type { Cid } from '../codec/cid.ts';
import type { Head, Operation, ReadEvent } from './event.ts';
import { GENESIS_EVENT } from './genesis.ts';
import { walkBack } from './walk.ts';
import { orderByWeight } from './winning-order.ts';

export interface Change {
  readonly key: string;
  /** The newest event that wrote the key. */
  readonly event: Cid;
  /**
   * The value that the event wrote: a document or the tombstone. Undefined if the event removed the
   * key.
   */
  readonly value: Cid | undefined;
}

const KNOWN = 1n;
const NEW = 2n;

/**
 * Returns the keys written by events of `head` that `since` lacks, without the genesis. Each key
 * occurs once, with its newest event, from oldest to newest. The result includes every new write.
 * It may also include known writes, from a branch that started before the event where the histories
 * of both heads meet.
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function changesSince(head: Head, since: Head, read: ReadEvent): Promise<readonly Change[]> {
  return newestOfEachKey(await eventsSince(head, since, read), read);
}

/**
 * Returns the keys of {@link changesSince}, which takes less time.
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function keysSince(head: Head, since: Head, read: ReadEvent): Promise<string[]> {
  const newestFirst = new Set<string>();
  for (const event of (await eventsSince(head, since, read)).toReversed()) {
    if (event === GENESIS_EVENT) continue;
    const { operations } = await read(event);
    for (let at = operations.length - 1; at >= 0; at--) newestFirst.add((operations[at] as Operation).key);
  }
  return [...newestFirst].reverse();
}

/**
 * Returns the events of `head` that `since` lacks, oldest first. The result includes all new
 * events. It may also include known events, from a branch that started before the event where the
 * histories of both heads meet.
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function eventsSince(head: Head, since: Head, read: ReadEvent): Promise<readonly Cid[]> {
  const visits = await walkBack(
    [...since.map((cid) => [cid, KNOWN] as const), ...head.map((cid) => [cid, NEW] as const)],
    read,
    {
      isOpen: (reach) => reach !== (KNOWN | NEW),
      // If a walk from the head reaches a first event, it went around `since`. Reading on may still
      // find `since`.
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
 * Returns the newest changes of a head, from oldest to newest: at least `limit` changes if there
 * are that many. Reads only as many events as needed while the history is linear.
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

async function newestOfEachKey(events: readonly Cid[], read: ReadEvent): Promise<readonly Change[]> {
  const newestFirst = new Map<string, Change>();
  for (const event of events.toReversed()) takeNewest(newestFirst, event, (await read(event)).operations);
  return [...newestFirst.values()].reverse();
}

/** Adds the keys of an event that no newer event wrote. */
export function takeNewest(
  newestFirst: Map<string, Change>,
  event: Cid,
  operations: readonly Operation[],
): void {
  if (event === GENESIS_EVENT) return;
  for (const { key, value } of operations.toReversed())
    if (!newestFirst.has(key)) newestFirst.set(key, { key, event, value });
}
