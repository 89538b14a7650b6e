/**
 * Indexes all events of a head by document and in time order. One walk back builds the index, which
 * then advances with the head. Events never change. If events leave the head (decision 0156), the
 * index starts over. An event that can't be read counts as one without parents and writes, until it
 * can be read.
 */
import type { Pace } from '../base/pace.ts';
import type { Cid } from '../codec/cid.ts';
import { Ancestry } from './ancestry.ts';
import { descendsFrom } from './changes-since.ts';
import type { ClockEvent, Head, ReadEvent } from './event.ts';

/**
 * Number of events on the longest path from a first event. Parents have a smaller number than their
 * children.
 */
type Generation = number;

interface Listed {
  readonly cid: Cid;
  readonly generation: Generation;
}

interface Unread {
  readonly cause: unknown;
  /** An event that has this one as its parent; undefined for an event of the head. */
  readonly child: Cid | undefined;
}

const NOTHING: Pick<ClockEvent, 'operations' | 'parents'> = { operations: [], parents: [] };

export class EventIndex {
  readonly #read: ReadEvent;
  readonly #generations = new Map<Cid, Generation>();
  readonly #byKey = new Map<string, Listed[]>();
  readonly #all: Listed[] = [];
  #ancestry: Ancestry;
  #current: Head = [];
  #restarts = 0;
  /** Lists that received an event out of order. */
  readonly #unsorted = new Set<Listed[]>();
  readonly #unread = new Map<Cid, Unread>();
  readonly #isUnreadable: (cause: unknown) => boolean;
  readonly #horizon: () => Cid | undefined;
  /** The horizon when an unread event was last looked for. */
  #knownHorizon: Cid | undefined;
  #isLinear = true;
  /** Serializes calls of `advance`. */
  #last: Promise<unknown> = Promise.resolve();

  /**
   * @param isUnreadable whether an error means that this event can't be read, but others may
   * @param horizon returns the oldest event that compaction kept
   */
  constructor(
    read: ReadEvent,
    ancestry = new Ancestry(),
    isUnreadable = (_cause: unknown) => false,
    horizon: () => Cid | undefined = () => undefined,
  ) {
    this.#read = read;
    this.#horizon = horizon;
    this.#ancestry = ancestry;
    this.#isUnreadable = isUnreadable;
  }

  /**
   * Adds the events that the head has and the index lacks. If it rejects because an event can't be
   * read, it has still added all events that can be reached without it.
   * @throws FixpointError MISSING_BLOCK, CORRUPT; the reason with which `signal` was aborted
   */
  advance(head: Head, pace: Pace, signal?: AbortSignal): Promise<void> {
    const done = this.#last.then(() => this.#walk(head, pace, signal)).then(() => this.#requireWhole());
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Whether no two events are concurrent, as far as is known. */
  get isLinear(): boolean {
    return this.#isLinear && this.#unread.size === 0;
  }

  /** The events that can't be read, and why. The index lacks what is only reached through them. */
  get unread(): ReadonlyMap<Cid, { readonly cause: unknown }> {
    return this.#unread;
  }

  /** How often events left the head, or could be read again. */
  get restarts(): number {
    return this.#restarts;
  }

  get size(): number {
    return this.#all.length;
  }

  /** Returns the generation of an event that the index contains. */
  generationOf(cid: Cid): Generation {
    return this.#generations.get(cid) as Generation;
  }

  /**
   * Returns whether an event is an ancestor of another one. The index must contain both. Returns
   * undefined if only a walk can tell.
   */
  isAncestor(cid: Cid, of: Cid): boolean | undefined {
    return this.#ancestry.isAncestor(cid, of);
  }

  /** Returns the events that wrote a key, newest first. */
  writesOf(key: string): readonly Cid[] {
    return this.#sorted(this.#byKey.get(key) ?? [])
      .map(({ cid }) => cid)
      .reverse();
  }

  /** Returns the keys that several events wrote. */
  keysWrittenTwice(): readonly string[] {
    return [...this.#byKey].filter(([, list]) => list.length > 1).map(([key]) => key);
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

  /**
   * Advances to the current head of the database. Starts over if events left that head. Rejects
   * like {@link advance}.
   * @throws FixpointError MISSING_BLOCK, CORRUPT; the reason with which `signal` was aborted
   */
  follow(current: Head, pace: Pace, signal?: AbortSignal): Promise<void> {
    const done = this.#last.then(async () => {
      if (await this.#isChanged()) this.#startOver();
      await this.#walk(current, pace, signal);
      if (!(await this.#contains(current, this.#current)) || this.#hasStrayUnread(current)) {
        this.#startOver();
        await this.#walk(current, pace, signal);
      }
      this.#current = current;
      this.#requireWhole();
    });
    this.#last = done.catch(() => undefined);
    return done;
  }

  #startOver(): void {
    this.#restarts += 1;
    for (const kept of [this.#generations, this.#byKey, this.#unsorted, this.#unread]) kept.clear();
    this.#all.length = 0;
    this.#ancestry = new Ancestry();
    this.#isLinear = true;
    this.#current = [];
  }

  #requireWhole(): void {
    for (const { cause } of this.#unread.values()) throw cause;
  }

  /**
   * Returns whether an event that couldn't be read can be read now, or was dropped by compaction.
   * Tries one event, so that damage costs each call the same.
   */
  async #isChanged(): Promise<boolean> {
    const horizon = this.#horizon();
    const hasMoved = horizon !== this.#knownHorizon;
    this.#knownHorizon = horizon;
    const [first] = this.#unread;
    if (first === undefined) return false;
    // Compaction may have dropped the event. The cached events below the horizon don't say so.
    if (hasMoved) return true;
    const [cid, { cause, child }] = first;
    if (await this.#tryRead(cid).then((event) => event !== undefined)) return true;
    if (child !== undefined && (await this.#tryRead(child))?.parents.includes(cid) !== true) return true;
    // The next call tries the next one.
    this.#unread.delete(cid);
    this.#unread.set(cid, { cause, child });
    return false;
  }

  /**
   * Returns whether only the head of another snapshot leads to an event that can't be read. Such an
   * event would count as damage for good.
   */
  #hasStrayUnread(current: Head): boolean {
    return [...this.#unread.keys()].some((cid) =>
      current.every((event) => event !== cid && this.isAncestor(cid, event) === false),
    );
  }

  /** Returns undefined for an event that can't be read. */
  async #tryRead(cid: Cid): Promise<ClockEvent | undefined> {
    try {
      return await this.#read(cid);
    } catch (cause) {
      if (!this.#isUnreadable(cause)) throw cause;
      return undefined;
    }
  }

  /** Returns whether a head contains all events of an earlier one. */
  async #contains(head: Head, earlier: Head): Promise<boolean> {
    for (const cid of earlier) {
      const found = head.map((event) => event === cid || this.isAncestor(cid, event));
      if (found.includes(true)) continue;
      if (!found.includes(undefined) || !(await this.#descendsFrom(head, cid))) return false;
    }
    return true;
  }

  async #descendsFrom(head: Head, cid: Cid): Promise<boolean> {
    try {
      return await descendsFrom(head, cid, this.#read);
    } catch (cause) {
      if (!this.#isUnreadable(cause)) throw cause;
      return false;
    }
  }

  async #walk(head: Head, pace: Pace, signal: AbortSignal | undefined): Promise<void> {
    if (head.length > 1) this.#isLinear = false;
    const waiting: (readonly [cid: Cid, child?: Cid])[] = head.map((cid) => [cid]);
    for (let next = waiting.at(-1); next !== undefined; next = waiting.at(-1)) {
      signal?.throwIfAborted();
      if (pace.isDue()) await pace.rest();
      const [cid, child] = next;
      const missing = await this.#add(cid, child);
      if (missing.length === 0) waiting.pop();
      for (const parent of missing) waiting.push([parent, cid]);
    }
  }

  /** Adds an event, or returns the parents that must be added first. */
  async #add(cid: Cid, child: Cid | undefined): Promise<readonly Cid[]> {
    if (this.#generations.has(cid)) return [];
    const { parents, operations } = await this.#readUnlessUnreadable(cid, child);
    const missing: Cid[] = [];
    let generation = 1;
    for (const parent of parents) {
      const before = this.#generations.get(parent);
      if (before === undefined) missing.push(parent);
      else generation = Math.max(generation, before + 1);
    }
    if (missing.length > 0) return missing;
    if (this.#unread.size > 0) this.#nameChild(cid, parents);
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

  /** Notes a child of an event that was in the head when it couldn't be read. */
  #nameChild(cid: Cid, parents: readonly Cid[]): void {
    for (const parent of parents) {
      const unread = this.#unread.get(parent);
      if (unread?.child === undefined && unread !== undefined)
        this.#unread.set(parent, { ...unread, child: cid });
    }
  }

  async #readUnlessUnreadable(cid: Cid, child: Cid | undefined): Promise<typeof NOTHING> {
    try {
      return await this.#read(cid);
    } catch (cause) {
      if (!this.#isUnreadable(cause)) throw cause;
      this.#unread.set(cid, { cause, child });
      return NOTHING;
    }
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
