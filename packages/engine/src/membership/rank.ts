/**
 * Ranks the persons and keys of a log. A rank depends only on the past of the entry that introduces
 * the person or key, so no later entry changes it. If that entry counts, its signer ranks higher.
 */
import type { EntryId, LogEntry, Signer, SigningKey } from './entry.ts';
import type { Past } from './past.ts';

/** Numbers and texts that are compared one after another. The lower one ranks higher. */
type Rank = readonly (number | string)[];

/** A key with the right of a person. Several entries can introduce the same key. */
export interface Seat {
  readonly key: SigningKey;
  /** The entry that introduced the key. */
  readonly entry: EntryId;
  readonly person: EntryId;
  readonly kind: 'device' | 'code';
  /** The person who signed the entry, if it added a key to an existing person. */
  readonly adder: EntryId | undefined;
  /** The rank among the keys of the person. */
  readonly rank: Rank;
}

export interface Ranks {
  /** All seats, highest first. */
  readonly seats: readonly Seat[];
  /** Returns the seat of an entry's signer; undefined if it wasn't introduced before the entry. */
  signerOf(entry: LogEntry): Seat | undefined;
  isPersonAbove(first: EntryId, second: EntryId): boolean;
  isAbove(first: Seat, second: Seat): boolean;
}

interface State {
  readonly past: Past;
  readonly persons: Map<EntryId, Rank>;
  /** The seats by entry and key. */
  readonly seats: Map<string, Seat>;
}

const seatName = ({ entry, key }: Signer): string => `${entry} ${key}`;

/** @param start the first entry of the log; entries that don't follow it are ignored */
export function ranksOf(past: Past, start: EntryId): Ranks {
  const state: State = { past, persons: new Map(), seats: new Map() };
  for (const entry of past.entries)
    if (entry.id === start || past.isBefore(start, entry.id)) introduce(state, entry, entry.id === start);
  const isPersonAbove = (first: EntryId, second: EntryId) =>
    compare(state.persons.get(first) ?? [], state.persons.get(second) ?? []) < 0;
  const compareSeats = (a: Seat, b: Seat) =>
    compare(state.persons.get(a.person) ?? [], state.persons.get(b.person) ?? []) || compare(a.rank, b.rank);
  return {
    seats: [...state.seats.values()].sort(compareSeats),
    signerOf: (entry) => signerIn(state, entry),
    isPersonAbove,
    isAbove: (first, second) => compareSeats(first, second) < 0,
  };
}

function signerIn({ past, seats }: State, { id, by, kind }: LogEntry): Seat | undefined {
  const seat = seats.get(seatName(by));
  return kind === 'start' || past.isBefore(by.entry, id) ? seat : undefined;
}

function introduce(state: State, entry: LogEntry, isStart: boolean): void {
  const { past, persons } = state;
  if (entry.kind === 'start' || entry.kind === 'person') {
    if ((entry.kind === 'start') !== isStart) return;
    const signer = isStart ? undefined : signerIn(state, entry);
    if (!isStart && signer === undefined) return;
    const above = signer === undefined ? -1 : ((persons.get(signer.person) as Rank)[0] as number);
    persons.set(entry.id, [above + 1, past.depthOf(entry.id), entry.id]);
    const seat = { entry: entry.id, person: entry.id, adder: undefined };
    if (entry.code !== undefined)
      add(state, { ...seat, key: entry.code, kind: 'code', rank: rankIn(past, entry.id, 'code') });
    add(state, { ...seat, key: entry.device, kind: 'device', rank: rankIn(past, entry.id, 'device') });
    return;
  }
  if (entry.kind !== 'device' && entry.kind !== 'code') return;
  const { key, person, kind } = entry;
  const signer = signerIn(state, entry);
  if (signer === undefined || !persons.has(person) || !past.isBefore(person, entry.id)) return;
  const rank = rankIn(past, entry.id, kind);
  add(state, { key, entry: entry.id, person, kind, adder: signer.person, rank });
}

/** Codes rank above devices. Within each kind, a smaller depth ranks higher, then a smaller id. */
const rankIn = (past: Past, entry: EntryId, kind: Seat['kind']): Rank => [
  kind === 'code' ? 0 : 1,
  past.depthOf(entry),
  entry,
];

function add({ seats }: State, seat: Seat): void {
  // An entry that names one key as device and as code has one seat, the lower one.
  seats.set(seatName(seat), seat);
}

function compare(a: Rank, b: Rank): number {
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const [left, right] = [a[at], b[at]];
    if (left === right) continue;
    if (left === undefined || right === undefined) return left === undefined ? -1 : 1;
    return left < right ? -1 : 1;
  }
  return 0;
}
