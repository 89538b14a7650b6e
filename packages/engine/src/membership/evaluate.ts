/**
 * Computes from a membership log who may do what (decision 0157). The result depends only on the
 * set of entries, not on clocks or the order of arrival.
 *
 * Signers are evaluated by rank, highest first. An entry that takes a right away has a signer of a
 * higher rank, so it was evaluated before. It voids every entry of the demoted or removed signer
 * that its own author hadn't seen: removal wins.
 */
import {
  type Admission,
  type EntryId,
  includes,
  type LogEntry,
  type Role,
  type SigningKey,
} from './entry.ts';
import { type Past, pastOf } from './past.ts';
import { type Ranks, ranksOf, type Seat } from './rank.ts';

interface Member {
  /** The entry that admitted the person. */
  readonly person: EntryId;
  readonly role: Role;
  readonly devices: readonly SigningKey[];
  readonly codes: readonly SigningKey[];
}

/** An entry that took a role away. */
interface Loss {
  readonly id: EntryId;
  /** The entries that gave the role again. */
  readonly again: readonly EntryId[];
}

/**
 * The right of a key to write. An event needs this right and must meet three conditions. It names
 * an entry that follows one of `since`, or is one of them. It is in the cuts of all `ends`. It is
 * in the cut of each loss, or names an entry that follows one that gave the role again.
 */
interface WriteRight {
  readonly since: readonly EntryId[];
  readonly ends: readonly EntryId[];
  readonly losses: readonly Loss[];
}

export interface Membership {
  readonly members: readonly Member[];
  /** Returns whether an entry counts. */
  counts(id: EntryId): boolean;
  /** Returns the rights to write that a key has or had. An event needs one of them. */
  writesOf(key: SigningKey): readonly WriteRight[];
}

interface State {
  readonly past: Past;
  readonly ranks: Ranks;
  readonly seatsOfKeys: ReadonlyMap<SigningKey, readonly Seat[]>;
  /** The entries that count, of the signers that were evaluated. */
  readonly counting: Map<EntryId, LogEntry>;
  /** Counting entries that change the role of a person. */
  readonly roles: Map<EntryId, (LogEntry & { readonly role: Role })[]>;
  readonly removals: Map<EntryId, Removal[]>;
  readonly endsOfSeats: Map<Seat, EntryId[]>;
  readonly leaves: Map<EntryId, { readonly id: EntryId; readonly seat: Seat }[]>;
  /** Entries by which a key ended itself. They don't void each other. */
  readonly ownEnds: Map<Seat, EntryId[]>;
}

type Removal = LogEntry & { readonly kind: 'remove' };

/** @param start the id of the first entry, by which a device knows the log */
export function evaluate(entries: Iterable<LogEntry>, start: EntryId): Membership {
  const past = pastOf(entries);
  const ranks = ranksOf(past, start);
  const state: State = {
    ...{ past, ranks },
    seatsOfKeys: groupedBy(ranks.seats, ({ key }) => key),
    counting: new Map(),
    roles: new Map(),
    removals: new Map(),
    endsOfSeats: new Map(),
    leaves: new Map(),
    ownEnds: new Map(),
  };
  const bySigner = new Map<Seat, LogEntry[]>();
  for (const entry of past.entries) {
    const signer = ranks.signerOf(entry);
    if (signer === undefined) continue;
    // Both keys of the founder signed the first entry. The code ranks above the device.
    if (entry.id === start) count(state, signer, entry);
    else push(bySigner, signer, entry);
  }
  for (const seat of ranks.seats) if (isLive(state, seat)) countBy(state, seat, bySigner.get(seat) ?? []);
  return {
    members: membersIn(state),
    counts: (id) => state.counting.has(id),
    writesOf: (key) => (state.seatsOfKeys.get(key) ?? []).flatMap((seat) => writesOf(state, seat)),
  };
}

/** Counts the entries of a signer. @param entries each one follows the entries in its past */
function countBy(state: State, signer: Seat, entries: readonly LogEntry[]): void {
  const { past, ownEnds } = state;
  const own = entries.filter((entry) => endsItself(signer, entry) && isRight(state, signer, entry));
  ownEnds.set(
    signer,
    own.map(({ id }) => id),
  );
  const isInTime = (entry: LogEntry) =>
    own.includes(entry) || own.every((end) => past.isBefore(entry.id, end.id));
  for (const entry of entries)
    if (isInTime(entry) && isRight(state, signer, entry)) count(state, signer, entry);
}

/** A key ends by leaving. A recovery code also ends by naming its successor. */
const endsItself = (signer: Seat, entry: LogEntry): boolean =>
  entry.kind === 'leave' ||
  (entry.kind === 'code' && signer.kind === 'code' && entry.person === signer.person);

function count(state: State, signer: Seat, entry: LogEntry): void {
  const { counting, roles, removals, endsOfSeats, leaves } = state;
  counting.set(entry.id, entry);
  if (entry.kind === 'start' || entry.kind === 'person') push(roles, entry.id, entry);
  if (entry.kind === 'role') push(roles, entry.person, entry);
  if (entry.kind === 'leave') push(leaves, signer.person, { id: entry.id, seat: signer });
  if (entry.kind !== 'remove') return;
  const { target } = entry;
  if ('person' in target) push(removals, target.person, entry);
  else
    for (const seat of removableSeats(state, signer, entry.id, target.key)) push(endsOfSeats, seat, entry.id);
}

function groupedBy<K, V>(list: readonly V[], keyOf: (one: V) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  for (const one of list) push(groups, keyOf(one), one);
  return groups;
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

/** Returns the counting entries of higher signers that ended a seat. */
function endsOf({ removals, endsOfSeats, leaves, ranks }: State, seat: Seat): readonly EntryId[] {
  const { person, adder, key } = seat;
  const ofPerson = (removals.get(person) ?? []).map(({ id }) => id);
  const ofAdder = adder === undefined || adder === person ? [] : (removals.get(adder) ?? []);
  const left = (leaves.get(person) ?? []).filter((leave) => ranks.isAbove(leave.seat, seat));
  return [
    ...ofPerson,
    ...ofAdder.flatMap(({ id, keep = [] }) => (keep.includes(key) ? [] : [id])),
    ...left.map(({ id }) => id),
    ...(endsOfSeats.get(seat) ?? []),
  ];
}

/** Returns whether a seat was introduced, and is the highest one of its key. */
const isLive = ({ counting, ranks, seatsOfKeys }: State, seat: Seat): boolean =>
  counting.has(seat.entry) &&
  !(seatsOfKeys.get(seat.key) ?? []).some((other) => ranks.isAbove(other, seat) && counting.has(other.entry));

function isRight(state: State, signer: Seat, entry: LogEntry): boolean {
  const { past } = state;
  if (!endsOf(state, signer).every((end) => past.isBefore(entry.id, end))) return false;
  return mayDo(state, signer, entry);
}

function mayDo(state: State, signer: Seat, entry: LogEntry): boolean {
  const isAdminAbove = (person: EntryId) => isAdminAboveAt(state, signer, person, entry.id);
  const knows = (person: EntryId) => state.counting.has(person) && state.past.isBefore(person, entry.id);
  switch (entry.kind) {
    case 'start':
      return false;
    case 'person':
      return hasRoleAt(state, signer.person, 'admin', entry.id);
    case 'device':
      return knows(entry.person) && (signer.person === entry.person || isAdminAbove(entry.person));
    case 'code':
      return (
        knows(entry.person) &&
        ((signer.person === entry.person && signer.kind === 'code') || isAdminAbove(entry.person))
      );
    case 'role':
      return knows(entry.person) && isAdminAbove(entry.person);
    case 'remove':
      if ('person' in entry.target) return knows(entry.target.person) && isAdminAbove(entry.target.person);
      return removableSeats(state, signer, entry.id, entry.target.key).length > 0;
    case 'leave':
      return true;
  }
}

/**
 * Returns whether a signer's person was an admin when they signed an entry, and ranks above another
 * person.
 */
const isAdminAboveAt = (state: State, signer: Seat, person: EntryId, at: EntryId): boolean =>
  state.ranks.isPersonAbove(signer.person, person) && hasRoleAt(state, signer.person, 'admin', at);

/** Returns the lower seats of a key that a signer may remove: of the same or a lower person. */
const removableSeats = (state: State, signer: Seat, at: EntryId, key: SigningKey): Seat[] =>
  (state.seatsOfKeys.get(key) ?? []).filter(
    (seat) =>
      state.ranks.isAbove(signer, seat) &&
      (seat.person === signer.person || isAdminAboveAt(state, signer, seat.person, at)),
  );

/** Returns whether a person had a role according to the past of this entry, which they signed. */
function hasRoleAt({ past, roles }: State, person: EntryId, role: Role, at: EntryId): boolean {
  const about = roles.get(person) ?? [];
  const given = about.filter((entry) => includes(entry.role, role) && past.isBefore(entry.id, at));
  const taken = about.filter((entry) => !includes(entry.role, role));
  const isGivenAgain = (end: EntryId) => given.some((again) => past.isBefore(end, again.id));
  return given.length > 0 && taken.every(({ id }) => past.isBefore(at, id) || isGivenAgain(id));
}

/** Returns the entries that took a role away from a person. */
function lossesOf({ past, roles }: State, person: EntryId, role: Role): Loss[] {
  const about = roles.get(person) ?? [];
  const given = about.filter((entry) => includes(entry.role, role));
  return about.flatMap(({ id, role: left }) => {
    if (includes(left, role)) return [];
    return [{ id, again: given.flatMap((one) => (past.isBefore(id, one.id) ? [one.id] : [])) }];
  });
}

/** Returns the entries that gave a person a role. */
const grantsOf = ({ roles }: State, person: EntryId, role: Role): EntryId[] =>
  (roles.get(person) ?? []).flatMap((entry) => (includes(entry.role, role) ? [entry.id] : []));

/** Returns whether a person has a role according to everything that is known. */
const hasRole = (state: State, person: EntryId, role: Role): boolean =>
  grantsOf(state, person, role).length > 0 &&
  lossesOf(state, person, role).every(({ again }) => again.length > 0);

const allEndsOf = (state: State, seat: Seat): readonly EntryId[] => [
  ...endsOf(state, seat),
  ...(state.ownEnds.get(seat) ?? []),
];

function membersIn(state: State): Member[] {
  const { counting, ranks } = state;
  const live = ranks.seats.filter((seat) => isLive(state, seat) && allEndsOf(state, seat).length === 0);
  const seatsOfPersons = groupedBy(live, (seat) => seat.person);
  const members: Member[] = [];
  const persons = [...counting.values()].filter(
    (entry): entry is Admission => entry.kind === 'start' || entry.kind === 'person',
  );
  for (const { id: person } of persons) {
    const seats = seatsOfPersons.get(person);
    if (seats === undefined) continue;
    const role = (['admin', 'write', 'read'] as const).find((one) => hasRole(state, person, one));
    const keysOf = (kind: Seat['kind']) =>
      seats.flatMap((seat) => (seat.kind === kind ? [seat.key] : [])).sort();
    members.push({ person, role: role ?? 'read', devices: keysOf('device'), codes: keysOf('code') });
  }
  return members.sort((a, b) => (a.person < b.person ? -1 : 1));
}

function writesOf(state: State, seat: Seat): readonly WriteRight[] {
  const since = grantsOf(state, seat.person, 'write');
  if (!isLive(state, seat) || since.length === 0) return [];
  return [
    { since, ends: [...new Set(allEndsOf(state, seat))], losses: lossesOf(state, seat.person, 'write') },
  ];
}
