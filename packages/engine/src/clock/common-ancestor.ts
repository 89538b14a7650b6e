import type { Cid } from '../codec/cid.ts';
import type { ReadEvent } from './event.ts';

/**
 * Returns the event where the histories of all given events meet. The sync format defines the rule,
 * because every replica must find the same event. Each given event starts a list. In each round,
 * every list grows by one hop: to the only parent, or to the event where several parents meet. The
 * result is the first event that is in all lists. Returns undefined if the given events have
 * different first events.
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
