/**
 * Indexes all events of a head by document and in time order. One walk back builds the index, which
 * then advances with the head. Events never change, so nothing is ever removed.
 */
import { append } from '../base/append.ts';
import type { Pace } from '../base/pace.ts';
import type { Cid } from '../codec/cid.ts';
import { Ancestry } from './ancestry.ts';
import { descendsFrom } from './changes-since.ts';
import type { Head, ReadEvent } from './event.ts';

/**
 * Number of events on the longest path from a first event. Parents have a smaller number than their
 * children.
 */
type Generation = number;

interface Listed {
  readonly cid: Cid;
  readonly generation: Generation;
}

export class EventIndex {
  readonly #read: ReadEvent;
  readonly #generations = new Map<Cid, Generation>();
  readonly #byKey = new Map<string, Listed[]>();
  readonly #all: Listed[] = [];
  readonly #ancestry = new Ancestry();
  /** Lists that received an event out of order. */
  readonly #unsorted = new Set<Listed[]>();
  #isLinear = true;
  /** Serializes calls of `advance`. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(read: ReadEvent) {
    this.#read = read;
  }

  /**
   * Adds the events that the head has and the index lacks.
   * @throws FixpointError MISSING_BLOCK, CORRUPT; the reason with which `signal` was aborted
   */
  advance(head: Head, pace: Pace, signal?: AbortSignal): Promise<void> {
    const done = this.#last.then(() => this.#walk(head, pace, signal));
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Whether no two events are concurrent. */
  get isLinear(): boolean {
    return this.#isLinear;
  }

  get size(): number {
    return this.#all.length;
  }

  /**
   * Returns one of the given events that isn't an ancestor of the others. The index must contain
   * all of them.
   */
  newestOf(cids: Iterable<Cid>): Cid {
    const listed = Array.from(cids, (cid) => ({ cid, generation: this.#generations.get(cid) as Generation }));
    return listed.reduce((newest, one) => (compare(newest, one) < 0 ? one : newest)).cid;
  }

  /**
   * Returns whether an event is an ancestor of another one. The index must contain both.
   * @throws FixpointError MISSING_BLOCK, CORRUPT
   */
  async isAncestor(cid: Cid, of: Cid): Promise<boolean> {
    return this.#ancestry.isAncestor(cid, of) ?? (cid !== of && descendsFrom([of], cid, this.#read));
  }

  /** Returns the events that wrote a key, newest first. */
  writesOf(key: string): readonly Cid[] {
    return this.#sorted(this.#byKey.get(key) ?? [])
      .map(({ cid }) => cid)
      .reverse();
  }

  /**
   * Returns events, newest first. With `behind`, starts with the event that follows it in this
   * order.
   */
  newest(limit: number, behind?: Cid): readonly Cid[] {
    const all = this.#sorted(this.#all);
    const end = behind === undefined ? all.length : this.#placeOf(behind);
    return all
      .slice(Math.max(0, end - limit), end)
      .map(({ cid }) => cid)
      .reverse();
  }

  async #walk(head: Head, pace: Pace, signal: AbortSignal | undefined): Promise<void> {
    if (head.length > 1) this.#isLinear = false;
    const waiting = [...head];
    for (let cid = waiting.at(-1); cid !== undefined; cid = waiting.at(-1)) {
      signal?.throwIfAborted();
      if (pace.isDue()) await pace.rest();
      const missing = await this.#add(cid);
      if (missing.length === 0) waiting.pop();
      else append(waiting, missing);
    }
  }

  /** Adds an event, or returns the parents that must be added first. */
  async #add(cid: Cid): Promise<readonly Cid[]> {
    if (this.#generations.has(cid)) return [];
    const { parents, operations } = await this.#read(cid);
    const missing: Cid[] = [];
    let generation = 1;
    for (const parent of parents) {
      const before = this.#generations.get(parent);
      if (before === undefined) missing.push(parent);
      else generation = Math.max(generation, before + 1);
    }
    if (missing.length > 0) return missing;
    if (parents.length > 1) this.#isLinear = false;
    const listed = { cid, generation };
    this.#generations.set(cid, generation);
    this.#ancestry.add(cid, parents);
    this.#append(this.#all, listed);
    for (const key of new Set(operations.map((operation) => operation.key))) {
      const list = this.#byKey.get(key) ?? [];
      this.#byKey.set(key, list);
      this.#append(list, listed);
    }
    return [];
  }

  #append(list: Listed[], listed: Listed): void {
    const last = list.at(-1);
    if (last !== undefined && compare(last, listed) > 0) this.#unsorted.add(list);
    list.push(listed);
  }

  #sorted(list: Listed[]): readonly Listed[] {
    if (this.#unsorted.delete(list)) list.sort(compare);
    return list;
  }

  #placeOf(cid: Cid): number {
    const generation = this.#generations.get(cid);
    if (generation === undefined) return 0;
    const all = this.#sorted(this.#all);
    let [low, high] = [0, all.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(all[middle] as Listed, { cid, generation }) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const compare = (a: Listed, b: Listed): number =>
  a.generation - b.generation || (a.cid < b.cid ? -1 : a.cid > b.cid ? 1 : 0);

/**
 * Returns the writes of a key that aren't an ancestor of another write of that key. If there are
 * several, they were concurrent.
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function maximalWrites(
  head: Head,
  key: string,
  index: Pick<EventIndex, 'newestOf'>,
  read: ReadEvent,
): Promise<readonly Cid[]> {
  const found: Cid[] = [];
  /** The events to visit. The value says whether a descendant of the event wrote the key. */
  const pending = new Map<Cid, boolean>(head.map((cid) => [cid, false]));
  while ([...pending.values()].includes(false)) {
    // All children of the newest pending event were visited, so the value of this event is final.
    const cid = index.newestOf(pending.keys());
    const isCovered = pending.get(cid) === true;
    pending.delete(cid);
    const { parents, operations } = await read(cid);
    const writes = operations.some((operation) => operation.key === key);
    if (writes && !isCovered) found.push(cid);
    for (const parent of parents) pending.set(parent, isCovered || writes || pending.get(parent) === true);
  }
  return found;
}
