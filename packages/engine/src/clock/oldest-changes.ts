/**
 * Reads the changes of a history page by page, oldest first. A place in the history is a head, so
 * it stays valid when the process restarts and when branches merge.
 */
import { FixpointError } from '@fixpoint/protocol';
import { Lru } from '../base/lru.ts';
import type { Cid } from '../codec/cid.ts';
import { eventsSince } from './changes-since.ts';
import { type Head, type ReadEvent, sortHead } from './event.ts';
import { GENESIS_EVENT } from './genesis.ts';
import { parseEvent, parseHead } from './head.ts';

/** Everything that a head contains, and the first operations of one event after it. */
export interface FeedPlace {
  readonly head: Head;
  /** An event whose parents the head contains, and the number of its operations that passed. */
  readonly within?: { readonly event: Cid; readonly passed: number };
}

export interface ChangedKeys {
  /** Changed keys with the event that wrote them, oldest write first. */
  readonly keys: ReadonlyMap<string, Cid>;
  readonly place: FeedPlace;
  /** Whether the page ends at the head. */
  readonly isLast: boolean;
}

const START = 'start';

export function placeText({ head, within }: FeedPlace): string {
  const text = head.length === 0 ? START : head.join('.');
  return within === undefined ? text : `${text}~${within.event}~${within.passed}`;
}

/** @throws FixpointError HEAD_INVALID */
export function parsePlace(text: string): FeedPlace {
  const [joined = '', event, passed, ...more] = text.split('~');
  const head = joined === START ? [] : parseHead(joined.split('.'));
  if (event === undefined) return { head };
  if (passed === undefined || more.length > 0 || !/^[1-9]\d{0,8}$/.test(passed))
    throw new FixpointError('HEAD_INVALID', 'not a position');
  return { head, within: { event: parseEvent(event), passed: Number(passed) } };
}

/** Events after a place, parents before children, up to a head. */
interface Walk {
  head: Head;
  readonly events: Cid[];
}

interface Pause {
  readonly walk: Walk;
  /** Number of events of the walk that are before the place. */
  readonly at: number;
}

/** Maximum number of places whose walk is kept. */
const PAUSES_KEPT = 16;
/** Number of read events from which on a walk drops them. */
const READ_EVENTS_KEPT = 10_000;

const isSame = (a: Head, b: Head): boolean => a.length === b.length && a.every((cid, at) => cid === b[at]);

/**
 * Returns the changes after a place. Keeps the rest of each walk for the next page: walking from
 * the head to each place would take quadratic time. Call `page` again only when the last call has
 * ended.
 */
export class OldestChanges {
  readonly #read: ReadEvent;
  readonly #pauses = new Lru<string, Pause>(PAUSES_KEPT);

  constructor(read: ReadEvent) {
    this.#read = read;
  }

  /**
   * Returns at most `limit` keys that events after the place wrote, and all keys of events that
   * left the head since then. If a key was written several times, it may be on several pages, but
   * only once on each.
   * @throws FixpointError MISSING_BLOCK, CORRUPT
   */
  async page(head: Head, place: FeedPlace, limit: number): Promise<ChangedKeys> {
    const { walk, at: start, left = [] } = await this.#resume(head, place);
    const keys = new Map<string, Cid>();
    const reached = new Set(place.head);
    for (const event of left) {
      const { operations, parents } = await this.#read(event);
      for (const { key } of operations) keys.set(key, event);
      for (const parent of parents) reached.add(parent);
    }
    for (const event of left) reached.delete(event);
    // A page contains all writes of events that left, so that the next place is in the history.
    const max = limit + keys.size;
    const endsAt = (at: number, within?: FeedPlace['within']): ChangedKeys => {
      const isLast = at === walk.events.length && within === undefined;
      const next = { head: isLast ? walk.head : sortHead(reached), ...(within && { within }) };
      if (!isLast) this.#pauses.set(placeText(next), shortened({ walk, at }));
      return { keys, place: next, isLast };
    };
    for (let at = start; ; at++) {
      const event = walk.events[at];
      if (event === undefined || keys.size >= max) return endsAt(at);
      const { operations, parents } = await this.#read(event);
      const passed = event === place.within?.event ? place.within.passed : 0;
      for (
        let next = event === GENESIS_EVENT ? operations.length : passed;
        next < operations.length;
        next++
      ) {
        const { key } = operations[next] as (typeof operations)[number];
        if (keys.size >= max && !keys.has(key)) return endsAt(at, { event, passed: next });
        keys.delete(key);
        keys.set(key, event);
      }
      for (const parent of parents) reached.delete(parent);
      reached.add(event);
    }
  }

  async #resume(head: Head, place: FeedPlace): Promise<Pause & { readonly left?: readonly Cid[] }> {
    const known = this.#pauses.get(placeText(place));
    if (known !== undefined && isSame(known.walk.head, head)) return known;
    if (known === undefined || (await this.#leftSince(known.walk.head, head)).length > 0) {
      const found = await eventsSince(head, place.head, this.#read);
      const within = place.within?.event;
      const isWithin = within !== undefined && found.includes(within);
      const events = isWithin ? [within, ...found.filter((event) => event !== within)] : [...found];
      return { walk: { head, events }, at: 0, left: await this.#leftSince(place.head, head) };
    }
    const { walk } = known;
    const more = await eventsSince(head, walk.head, this.#read);
    for (const event of more) walk.events.push(event);
    walk.head = head;
    return known;
  }

  /** Returns the events that an earlier head contained, and that left since then. */
  async #leftSince(earlier: Head, head: Head): Promise<readonly Cid[]> {
    return earlier.length === 0 ? [] : eventsSince(earlier, head, this.#read);
  }
}

/** Drops the events before a place from its walk, if they are many. */
function shortened({ walk, at }: Pause): Pause {
  if (at < READ_EVENTS_KEPT || at < walk.events.length / 2) return { walk, at };
  return { walk: { head: walk.head, events: walk.events.slice(at) }, at: 0 };
}
