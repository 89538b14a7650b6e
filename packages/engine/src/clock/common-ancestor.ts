import type { Cid } from '../codec/cid.ts';
import type { ReadEvent } from './event.ts';

/**
 * Returns the event where the histories of all events meet, by the rule of the sync format: every
 * replica must find the same one. Each event starts a list. In rounds, each list is extended by one
 * hop, to the only parent or to where several parents meet. The result is the first event in all
 * lists. Undefined when the events have different first events.
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function commonAncestor(
  events: readonly Cid[],
  read: ReadEvent,
  hops = new Map<Cid, Cid | undefined>(),
): Promise<Cid | undefined> {
  const lists = events.map((event) => ({ last: event, seen: new Set([event]) }));
  const occurrences = new Map(events.map((event) => [event, 1]));
  for (let moved = true; moved; ) {
    moved = false;
    for (const list of lists) {
      const next = await hop(list.last, read, hops);
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

async function hop(event: Cid, read: ReadEvent, hops: Map<Cid, Cid | undefined>): Promise<Cid | undefined> {
  if (hops.has(event)) return hops.get(event);
  const { parents } = await read(event);
  const next = parents.length > 1 ? await commonAncestor(parents, read, hops) : parents[0];
  hops.set(event, next);
  return next;
}
