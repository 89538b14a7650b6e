/** Finds the entries that are present, and the order of a log: who is in the past of whom. */
import { type EntryId, type FormRule, type LogEntry, linkFault } from '@fixpoint/protocol/storage';
import { push } from './push.ts';

const BITS = 32;

export interface Past {
  /** The present entries. Each one follows all entries of its past. */
  readonly entries: readonly LogEntry[];
  entryOf(id: EntryId): LogEntry | undefined;
  /** Returns whether the first entry is in the past of the second one. No entry is in its own. */
  isBefore(first: EntryId, second: EntryId): boolean;
  /** Returns a function that tells whether an entry is in the past of one of these. */
  isBeforeAny(ids: readonly EntryId[]): (id: EntryId) => boolean;
  /** Returns those entries that aren't in the past of another one of them. */
  latestOf(ids: Iterable<EntryId>): EntryId[];
  /** Returns the length of the longest path from the first entry of the log. */
  depthOf(id: EntryId): number;
  /** Returns an entry and its past. */
  upTo(id: EntryId): readonly LogEntry[];
}

export interface Present extends Past {
  /** The rule that an entry breaks, and that can only be checked together with its past. */
  readonly invalid: ReadonlyMap<EntryId, FormRule>;
}

/**
 * Leaves out entries until their whole past has arrived, entries that don't follow `start`, and
 * entries that are invalid in their past, with all that follow them.
 * @param start the id of the first entry
 */
export function presentIn(given: Iterable<LogEntry>, start: EntryId): Present {
  const arrived = sorted(given);
  const graph = new Graph(arrived.length);
  const invalid = new Map<EntryId, FormRule>();
  for (const entry of arrived) {
    const isReached = entry.kind === 'start' ? entry.id === start : entry.prev.every((id) => graph.has(id));
    if (!isReached) continue;
    const rule = entry.prev.length > 1 && graph.hasTwice(entry.prev) ? 'F3' : undefined;
    graph.add(entry);
    const broken = rule ?? linkFault(entry, graph.beforeLast);
    if (broken === undefined) continue;
    graph.undo();
    invalid.set(entry.id, broken);
  }
  return {
    entries: graph.entries,
    invalid,
    entryOf: (id) => graph.entryOf(id),
    isBefore: (first, second) => graph.isBefore(first, second),
    isBeforeAny: (ids) => graph.isBeforeAny(ids),
    latestOf: (ids) => graph.latestOf(ids),
    depthOf: (id) => graph.depthOf(id),
    upTo: (id) => graph.entries.filter((one) => one.id === id || graph.isBefore(one.id, id)),
  };
}

/** The past of each entry, as one bit for each earlier entry. */
class Graph {
  readonly entries: LogEntry[] = [];
  readonly #places = new Map<EntryId, number>();
  /** The bits of all entries, one after another: a log has thousands of entries. */
  readonly #pasts: Uint32Array;
  readonly #depths: number[] = [];
  readonly #words: number;

  constructor(size: number) {
    this.#words = Math.ceil(size / BITS);
    this.#pasts = new Uint32Array(this.#words * size);
  }

  has(id: EntryId): boolean {
    return this.#places.has(id);
  }

  entryOf(id: EntryId): LogEntry | undefined {
    return this.entries[this.#places.get(id) ?? -1];
  }

  depthOf(id: EntryId): number {
    return this.#depths[this.#places.get(id) ?? -1] ?? 0;
  }

  isBefore(first: EntryId, second: EntryId): boolean {
    const [place, after] = [this.#places.get(first), this.#places.get(second)];
    if (place === undefined || after === undefined) return false;
    return this.#hasBit(after, place);
  }

  /** Returns an entry in the past of the one that was added last. */
  readonly beforeLast = (id: EntryId): LogEntry | undefined => {
    const place = this.#places.get(id);
    return place !== undefined && this.#hasBit(this.entries.length - 1, place)
      ? this.entries[place]
      : undefined;
  };

  #hasBit(after: number, place: number): boolean {
    const word = this.#pasts[after * this.#words + Math.floor(place / BITS)] as number;
    return ((word >>> (place % BITS)) & 1) === 1;
  }

  #pastOf(place: number): Uint32Array {
    return this.#pasts.subarray(place * this.#words, (place + 1) * this.#words);
  }

  isBeforeAny(ids: readonly EntryId[]): (id: EntryId) => boolean {
    const { union } = this.#unionOf(ids);
    return (id) => hasBit(union, this.#places.get(id) ?? -1);
  }

  latestOf(ids: Iterable<EntryId>): EntryId[] {
    return this.#unionOf(ids).latest.map((place) => (this.entries[place] as LogEntry).id);
  }

  /** Returns the joint past of entries. Skips entries that are in the past of a later one. */
  #unionOf(ids: Iterable<EntryId>): { union: Uint32Array; latest: number[] } {
    const union = new Uint32Array(this.#words);
    const latest: number[] = [];
    const places = [...ids].map((id) => this.#places.get(id) ?? -1).sort((a, b) => b - a);
    for (const [at, place] of places.entries()) {
      if (place < 0 || place === places[at - 1] || hasBit(union, place)) continue;
      latest.push(place);
      addBits(union, this.#pastOf(place));
    }
    return { union, latest };
  }

  /** Returns whether a list names an entry twice: by itself, or in the past of another one (F3). */
  hasTwice(ids: readonly EntryId[]): boolean {
    return ids.some((id, at) =>
      ids.some((other, place) => this.isBefore(id, other) || (id === other && place < at)),
    );
  }

  add(entry: LogEntry): void {
    const past = this.#pastOf(this.entries.length);
    let depth = 0;
    for (const id of entry.prev) {
      const place = this.#places.get(id) as number;
      addBits(past, this.#pastOf(place));
      past[Math.floor(place / BITS)] = (past[Math.floor(place / BITS)] as number) | (1 << (place % BITS));
      depth = Math.max(depth, 1 + (this.#depths[place] as number));
    }
    this.#places.set(entry.id, this.entries.length);
    this.entries.push(entry);
    this.#depths.push(depth);
  }

  /** Removes the entry that was added last. */
  undo(): void {
    const last = this.entries.pop();
    if (last !== undefined) this.#places.delete(last.id);
    this.#pastOf(this.entries.length).fill(0);
    this.#depths.pop();
  }
}

const hasBit = (bits: Uint32Array, place: number): boolean =>
  place >= 0 && (((bits[Math.floor(place / BITS)] as number) >>> (place % BITS)) & 1) === 1;

function addBits(bits: Uint32Array, more: Uint32Array): void {
  for (let word = 0; word < bits.length; word++) bits[word] = (bits[word] as number) | (more[word] as number);
}

/** Sorts entries whose whole past was given, so that each one follows all entries of its past. */
function sorted(given: Iterable<LogEntry>): LogEntry[] {
  const all = new Map<EntryId, LogEntry>();
  for (const entry of given) all.set(entry.id, entry);
  if (isSorted(all)) return [...all.values()];
  const followers = new Map<EntryId, LogEntry[]>();
  const missing = new Map<EntryId, number>();
  for (const entry of all.values()) {
    const prev = entry.prev.length > 1 ? [...new Set(entry.prev)] : entry.prev;
    missing.set(entry.id, prev.length);
    for (const id of prev) push(followers, id, entry);
  }
  const ready = [...all.values()].filter(({ prev }) => prev.length === 0);
  const found: LogEntry[] = [];
  for (let entry = ready.pop(); entry !== undefined; entry = ready.pop()) {
    found.push(entry);
    for (const next of followers.get(entry.id) ?? []) {
      const left = (missing.get(next.id) as number) - 1;
      missing.set(next.id, left);
      if (left === 0) ready.push(next);
    }
  }
  return found;
}

function isSorted(entries: ReadonlyMap<EntryId, LogEntry>): boolean {
  const seen = new Set<EntryId>();
  for (const { id, prev } of entries.values()) {
    if (!prev.every((one) => seen.has(one))) return false;
    seen.add(id);
  }
  return true;
}
