/**
 * Ranks the persons and seats of a log (H1, H2). A rank depends only on the past of the entry that
 * introduces the person or seat, so no later entry changes it.
 */
import {
  type EntryId,
  introducedBy,
  isAdmission,
  type LogEntry,
  type SealingKey,
  type SeatKeys,
  type SeatName,
  type SigningKey,
} from '@fixpoint/protocol/storage';
import type { Past } from './present.ts';
import { push } from './push.ts';

/** A key with the rights of a person. A key can have several seats, which are independent. */
export interface Seat {
  readonly key: SigningKey;
  readonly seal: SealingKey;
  /** The entry that introduced the key. */
  readonly entry: EntryId;
  readonly person: EntryId;
  readonly kind: 'device' | 'code';
  /** The next seat of the line: the one that introduced this seat to an existing person. */
  readonly from: Seat | undefined;
}

export interface Seats {
  /** All seats, highest first. */
  readonly all: readonly Seat[];
  /** Returns the seats of a key, highest first. */
  ofKey(key: SigningKey): readonly Seat[];
  named(name: SeatName): Seat | undefined;
  /** Returns the seat that signed an entry; undefined for a join. */
  signerOf(entry: LogEntry): Seat | undefined;
  isPersonAbove(first: EntryId, second: EntryId): boolean;
  isAbove(first: Seat, second: Seat): boolean;
}

/** Numbers and texts that are compared one after another. The lower one ranks higher. */
type Rank = readonly (number | string)[];

interface Ranked {
  readonly seat: Seat;
  readonly rank: Rank;
}

/** Returns the seats of the present entries. */
export function seatsOf(past: Past): Seats {
  const seats = new Map<EntryId, Ranked[]>();
  const persons = new Map<EntryId, Rank>();
  for (const entry of past.entries) introduce(past, persons, seats, entry);
  const all = [...seats.values()]
    .flat()
    .sort((a, b) => compare(a.rank, b.rank))
    .map(({ seat }) => seat);
  const places = new Map(all.map((seat, place) => [seat, place]));
  const keys = new Map<SigningKey, Seat[]>();
  for (const seat of all) push(keys, seat.key, seat);
  const placeOf = (seat: Seat) => places.get(seat) as number;
  const named = (name: SeatName) => seatNamed(seats, name);
  return {
    all,
    named,
    ofKey: (key) => keys.get(key) ?? [],
    signerOf: (entry) => (entry.kind === 'join' ? undefined : named(entry.by)),
    isPersonAbove: (first, second) => compare(persons.get(first) ?? [], persons.get(second) ?? []) < 0,
    isAbove: (first, second) => placeOf(first) < placeOf(second),
  };
}

/** @param seats by the entries that introduced them */
const seatNamed = (seats: ReadonlyMap<EntryId, readonly Ranked[]>, { entry, key }: SeatName) =>
  seats.get(entry)?.find(({ seat }) => seat.key === key)?.seat;

function introduce(
  past: Past,
  persons: Map<EntryId, Rank>,
  seats: Map<EntryId, Ranked[]>,
  entry: LogEntry,
): void {
  if (entry.kind === 'join') return;
  const from = entry.kind === 'start' ? undefined : seatNamed(seats, entry.by);
  const place = [past.depthOf(entry.id), entry.id];
  if (isAdmission(entry)) {
    const above = from === undefined ? -1 : ((persons.get(from.person) as Rank)[0] as number);
    persons.set(entry.id, [above + 1, ...place]);
  } else if (entry.kind !== 'device' && entry.kind !== 'code') return;
  const person = isAdmission(entry) ? entry.id : entry.person;
  const add = (kind: Seat['kind'], keys: SeatKeys | undefined) => {
    if (keys === undefined) return;
    const line = isAdmission(entry) ? undefined : from;
    const seat: Seat = { key: keys.sign, seal: keys.seal, entry: entry.id, person, kind, from: line };
    const rank = [...(persons.get(person) as Rank), kind === 'code' ? 0 : 1, ...place];
    push(seats, entry.id, { seat, rank });
  };
  const { device, code } = introducedBy(entry);
  add('code', code);
  add('device', device);
}

/** Returns whether the line of a seat contains a seat for which the condition holds. */
export function isInLine(seat: Seat, isRight: (one: Seat) => boolean): boolean {
  for (let one: Seat | undefined = seat; one !== undefined; one = one.from) if (isRight(one)) return true;
  return false;
}

function compare(a: Rank, b: Rank): number {
  for (let at = 0; at < a.length; at++) {
    const [left, right] = [a[at] as number | string, b[at] as number | string];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}
