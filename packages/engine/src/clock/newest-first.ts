/** Visits the events of a head, newest first, and finds concurrent writes of a key. */
import type { Pace } from '../base/pace.ts';
import type { Cid } from '../codec/cid.ts';
import type { ClockEvent, Head, ReadEvent } from './event.ts';
import type { EventIndex } from './event-index.ts';

type Generation = ReturnType<EventIndex['generationOf']>;

/** Steps of a walk. Bits stand for events that the walk has visited. */
export interface Visits {
  /** Whether the walk must visit an event with these descendants. More bits never open an event. */
  isOpen(descendants: bigint): boolean;
  /** Returns the bits that the ancestors of the event have. */
  visit(cid: Cid, event: ClockEvent, descendants: bigint): bigint;
  /** Whether the walk may end when no event is open. By default, it may. */
  isOver?(): boolean;
}

/**
 * Visits the events of a head, newest first, so that the descendants of an event are known when it
 * is visited.
 * @param index must contain all events of the head
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function walkNewestFirst(
  head: Head,
  index: Pick<EventIndex, 'generationOf'>,
  read: ReadEvent,
  pace: Pace,
  { isOpen, visit, isOver = () => true }: Visits,
): Promise<void> {
  /** The events to visit, by generation. */
  const pending = new Map<Generation, Map<Cid, bigint>>();
  let open = 0;
  let generation = 0;
  const reach = (cid: Cid, descendants: bigint) => {
    const own = index.generationOf(cid);
    generation = Math.max(generation, own);
    const level = pending.get(own) ?? new Map<Cid, bigint>();
    pending.set(own, level);
    const before = level.get(cid);
    const after = (before ?? 0n) | descendants;
    level.set(cid, after);
    open += Number(isOpen(after)) - Number(before !== undefined && isOpen(before));
  };
  for (const cid of head) reach(cid, 0n);
  for (; generation > 0; generation--) {
    for (const [cid, descendants] of [...(pending.get(generation) ?? [])].sort().reverse()) {
      if (open === 0 && isOver()) return;
      if (pace.isDue()) await pace.rest();
      if (isOpen(descendants)) open--;
      const event = await read(cid);
      const bits = visit(cid, event, descendants);
      for (const parent of event.parents) reach(parent, bits);
    }
    pending.delete(generation);
  }
}

type WritesIndex = Pick<EventIndex, 'generationOf' | 'writesOf' | 'isAncestor'>;

/**
 * Returns the writes of a key that aren't an ancestor of another write of that key. If there are
 * several, they were concurrent. Usually the index knows this, and no event is read.
 * @param index must contain all events of the head
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function maximalWrites(
  head: Head,
  key: string,
  index: WritesIndex,
  read: ReadEvent,
  pace: Pace,
): Promise<readonly Cid[]> {
  const known = await knownMaximalWrites(head, key, index, pace);
  if (known !== undefined) return known;
  const found: Cid[] = [];
  await walkNewestFirst(head, index, read, pace, {
    isOpen: (later) => later === 0n,
    visit: (cid, { operations }, later) => {
      const writes = operations.some((operation) => operation.key === key);
      if (writes && later === 0n) found.push(cid);
      return writes ? 1n : later;
    },
  });
  return found;
}

/** With more concurrent events, a walk is faster than questions about each pair. */
const ASKED_MAX = 100;

/** Returns undefined if only a walk can tell, or if it is faster. */
async function knownMaximalWrites(
  head: Head,
  key: string,
  index: WritesIndex,
  pace: Pace,
): Promise<readonly Cid[] | undefined> {
  const found: Cid[] = [];
  for (const cid of index.writesOf(key)) {
    if (head.length > ASKED_MAX || found.length > ASKED_MAX) return undefined;
    if (pace.isDue()) await pace.rest();
    const isReplaced = precedesAny(cid, found, index);
    // The index may also contain events that follow the head.
    const isIn = head.includes(cid) || precedesAny(cid, head, index);
    if (isReplaced === undefined || isIn === undefined) return undefined;
    if (isIn && !isReplaced) found.push(cid);
  }
  return found;
}

function precedesAny(cid: Cid, events: readonly Cid[], index: WritesIndex): boolean | undefined {
  const found = events.map((event) => index.isAncestor(cid, event));
  return found.includes(true) || (found.includes(undefined) ? undefined : false);
}
