/**
 * Computes from a membership log who may do what (decision 0157). The result depends only on the
 * set of entries, not on clocks or the order of arrival.
 *
 * Signers are evaluated by rank, highest first. An entry that takes a right away has a signer of a
 * higher rank, so it was evaluated before. It voids everything by the other that its author hadn't
 * seen: removal wins.
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

/** The right to write of a key: each event must be an ancestor of the cuts of all these entries. */
interface WriteRight {
  readonly cuts: readonly EntryId[];
}

export interface Membership {
  readonly members: readonly Member[];
  /** Returns whether an entry counts. */
  counts(id: EntryId): boolean;
  /** Returns the rights to write that a key has or had; an event needs one of them. */
  writesOf(key: SigningKey): readonly WriteRight[];
}

interface State {
  readonly past: Past;
  readonly ranks: Ranks;
  /** The entries that count, of the signers that were evaluated. */
  readonly counting: Map<EntryId, LogEntry>;
  /** Counting entries about a person: those that give them a role, or take one away. */
  readonly roles: Map<EntryId, (LogEntry & { readonly role: Role })[]>;
  readonly endsOfPersons: Map<EntryId, EntryId[]>;
  readonly endsOfSeats: Map<Seat, EntryId[]>;
  readonly leaves: Map<EntryId, EntryId[]>;
}

/** @param start the id of the first entry, by which a device knows the log */
export function evaluate(entries: Iterable<LogEntry>, start: EntryId): Membership {
  const past = pastOf(entries);
  const ranks = ranksOf(past, start);
  const state: State = {
    ...{ past, ranks },
    counting: new Map(),
    roles: new Map(),
    endsOfPersons: new Map(),
    endsOfSeats: new Map(),
    leaves: new Map(),
  };
  const bySigner = new Map<Seat, LogEntry[]>();
  for (const entry of past.entries) {
    const signer = ranks.signerOf(entry);
    if (signer === undefined) continue;
    // Both keys of the founder signed the first entry. The code ranks above the device.
    if (entry.id === start) count(state, signer, entry);
    else push(bySigner, signer, entry);
  }
  for (const seat of ranks.seats)
    for (const entry of bySigner.get(seat) ?? []) if (isRight(state, seat, entry)) count(state, seat, entry);
  return {
    members: membersIn(state),
    counts: (id) => state.counting.has(id),
    writesOf: (key) => ranks.seats.flatMap((seat) => (seat.key === key ? writesOf(state, seat) : [])),
  };
}

function count(state: State, signer: Seat, entry: LogEntry): void {
  const { counting, roles, endsOfPersons, endsOfSeats, leaves } = state;
  counting.set(entry.id, entry);
  if (entry.kind === 'start' || entry.kind === 'person') push(roles, entry.id, entry);
  if (entry.kind === 'role') push(roles, entry.person, entry);
  if (entry.kind === 'leave') push(leaves, signer.person, entry.id);
  if (entry.kind !== 'remove') return;
  const { target } = entry;
  if ('person' in target) push(endsOfPersons, target.person, entry.id);
  else
    for (const seat of removableSeats(state, signer, entry.id, target.key)) push(endsOfSeats, seat, entry.id);
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

/** Returns the counting entries that removed a seat or its person. */
const endsOf = ({ endsOfPersons, endsOfSeats }: State, seat: Seat): readonly EntryId[] => [
  ...(endsOfPersons.get(seat.person) ?? []),
  ...(endsOfSeats.get(seat) ?? []),
];

/** Returns whether the entry that introduced a seat counts. It only does if its person's does. */
const isIntroduced = ({ counting }: State, { entry }: Seat): boolean => counting.has(entry);

function isRight(state: State, signer: Seat, entry: LogEntry): boolean {
  const { past } = state;
  if (!isIntroduced(state, signer)) return false;
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

/** Returns whether a signer's person was an admin at an entry, and ranks above another person. */
const isAdminAboveAt = (state: State, signer: Seat, person: EntryId, at: EntryId): boolean =>
  state.ranks.isPersonAbove(signer.person, person) && hasRoleAt(state, signer.person, 'admin', at);

/** Returns the lower seats of a key that a signer may remove: of the same or a lower person. */
const removableSeats = (state: State, signer: Seat, at: EntryId, key: SigningKey): Seat[] =>
  state.ranks.seats.filter(
    (seat) =>
      seat.key === key &&
      state.ranks.isAbove(signer, seat) &&
      (seat.person === signer.person || isAdminAboveAt(state, signer, seat.person, at)),
  );

/** Returns whether a person had a role at an entry of theirs. */
function hasRoleAt({ past, roles }: State, person: EntryId, role: Role, at: EntryId): boolean {
  const about = roles.get(person) ?? [];
  const given = about.filter((entry) => includes(entry.role, role) && past.isBefore(entry.id, at));
  const taken = about.filter((entry) => !includes(entry.role, role));
  const isGivenAgain = (end: EntryId) => given.some((again) => past.isBefore(end, again.id));
  return given.length > 0 && taken.every(({ id }) => past.isBefore(at, id) || isGivenAgain(id));
}

/** Returns whether a person has a role according to everything that is known. */
function hasRole(state: State, person: EntryId, role: Role): boolean {
  return isGiven(state, person, role) && lossesOf(state, person, role).length === 0;
}

const isGiven = ({ roles }: State, person: EntryId, role: Role): boolean =>
  (roles.get(person) ?? []).some((entry) => includes(entry.role, role));

/** Returns the entries that took a role away, and after which nobody gave it again. */
function lossesOf({ past, roles }: State, person: EntryId, role: Role): EntryId[] {
  const about = roles.get(person) ?? [];
  const isGivenAgain = (end: EntryId) =>
    about.some((entry) => includes(entry.role, role) && past.isBefore(end, entry.id));
  return about.flatMap(({ id, role: left }) => (includes(left, role) || isGivenAgain(id) ? [] : [id]));
}

function membersIn(state: State): Member[] {
  const { counting, ranks, endsOfPersons, leaves } = state;
  const members: Member[] = [];
  const persons = [...counting.values()].filter(
    (entry): entry is Admission => entry.kind === 'start' || entry.kind === 'person',
  );
  for (const { id: person } of persons) {
    if (endsOfPersons.has(person) || leaves.has(person)) continue;
    const role = (['admin', 'write', 'read'] as const).find((one) => hasRole(state, person, one));
    const seats = ranks.seats.filter(
      (seat) => seat.person === person && isIntroduced(state, seat) && endsOf(state, seat).length === 0,
    );
    const keysOf = (kind: Seat['kind']) =>
      seats.flatMap((seat) => (seat.kind === kind ? [seat.key] : [])).sort();
    members.push({ person, role: role ?? 'read', devices: keysOf('device'), codes: keysOf('code') });
  }
  return members.sort((a, b) => (a.person < b.person ? -1 : 1));
}

function writesOf(state: State, seat: Seat): readonly WriteRight[] {
  const { person } = seat;
  if (!isIntroduced(state, seat) || !isGiven(state, person, 'write')) return [];
  const ends = [
    ...endsOf(state, seat),
    ...lossesOf(state, person, 'write'),
    ...(state.leaves.get(person) ?? []),
  ];
  return [{ cuts: [...new Set(ends)].sort() }];
}
