import type { Cid } from '../codec/cid.ts';
import { type Change, takeNewest } from './changes-since.ts';
import type { Head, ReadEvent } from './event.ts';

/**
 * Returns the changes since a head, from oldest to newest, if each event after `since` has the
 * previous event as its only parent. Then only keys that these events wrote have changed, and their
 * newest values are those of the head. Returns undefined for any other history, because a merge may
 * also change which of two known writes wins. Returns undefined for more than `eventsMax` events,
 * too.
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function changesInLine(
  head: Head,
  since: Head,
  read: ReadEvent,
  eventsMax = Number.POSITIVE_INFINITY,
): Promise<readonly Change[] | undefined> {
  const [first, ...others] = since;
  if (first === undefined || others.length > 0) return undefined;
  const newestFirst = new Map<string, Change>();
  let [event, ...rest]: readonly Cid[] = head;
  for (let left = eventsMax; event !== undefined && rest.length === 0 && left >= 0; left--) {
    if (event === first) return [...newestFirst.values()].reverse();
    const { operations, parents } = await read(event);
    takeNewest(newestFirst, event, operations);
    [event, ...rest] = parents;
  }
  return undefined;
}
