/**
 * Computes from a membership log who may do what (docs/internals/membership-rules.md). The result
 * depends only on the set of entries, not on clocks or the order of arrival.
 *
 * Seats are evaluated by rank, highest first. An entry that takes a right away has a signer of a
 * higher rank, so it was evaluated before. It voids every entry of the demoted or removed signer
 * that its own author hadn't seen: removal wins.
 */

import type {
  Admission,
  CountRule,
  EntryId,
  FormRule,
  LogEntry,
  Role,
  SignedEntry,
  SigningKey,
} from '@fixpoint/protocol/storage';
import { isSuccessor, unmetCondition } from './conditions.ts';
import { Counting, type End } from './counted.ts';
import { type Past, presentIn } from './present.ts';
import { push } from './push.ts';
import { type Seat, type Seats, seatsOf } from './seats.ts';

interface Member {
  /** The entry that admitted the person. */
  readonly person: EntryId;
  readonly user: string;
  readonly name: string;
  readonly role: Role;
  /** The person who admitted this one; undefined for the founder (M1). */
  readonly admittedBy: EntryId | undefined;
  readonly devices: readonly SigningKey[];
  readonly codes: readonly SigningKey[];
}

/** Why an entry is invalid or doesn't count. */
interface Reason {
  /**
   * A rule of docs/internals/membership-rules.md; `present` for an entry whose past isn't complete,
   * or that belongs to another log.
   */
  readonly rule: FormRule | CountRule | 'present';
  /** The entry that voids this one: the end of its signer, or the successor of a code. */
  readonly entry?: EntryId | undefined;
}

export interface Membership {
  readonly past: Past;
  readonly seats: Seats;
  readonly counting: Pick<Counting, 'changesOf' | 'hadRole' | 'isLive'>;
  readonly members: readonly Member[];
  /** The entries that a new entry or event follows (F13), in the order of their ids. */
  readonly heads: readonly EntryId[];
  /** Returns whether an entry counts. */
  counts(id: EntryId): boolean;
  /** Returns why an entry is invalid or doesn't count; undefined if it counts, and for joins. */
  reasonOf(id: EntryId): Reason | undefined;
  isCurrent(seat: Seat): boolean;
  /** Returns the entries that ended a live seat, and limit which of its events are accepted. */
  endsOf(seat: Seat): readonly End[];
  /** All entries after which a live seat isn't current: ends, leaves and successors (`gone`). */
  readonly gone: ReadonlySet<EntryId>;
}

interface State {
  readonly counting: Counting;
  readonly reasons: Map<EntryId, Reason>;
  readonly ends: Map<Seat, readonly End[]>;
  /** The entries after which a live seat isn't current. */
  readonly gone: Map<Seat, readonly EntryId[]>;
  /** The entries by which a code is spent, including those that don't count (C5). */
  readonly successors: Set<EntryId>;
}

/** @param start the id of the first entry, by which a device knows the log */
export function evaluate(entries: Iterable<LogEntry>, start: EntryId): Membership {
  const past = presentIn(entries, start);
  const seats = seatsOf(past);
  const counting = new Counting(past, seats);
  const state: State = {
    counting,
    reasons: new Map([...past.invalid].map(([id, rule]) => [id, { rule }])),
    ends: new Map(),
    gone: new Map(),
    successors: new Set(),
  };
  const bySeat = new Map<Seat, SignedEntry[]>();
  for (const entry of past.entries) {
    const signer = seats.signerOf(entry);
    if (signer === undefined || entry.kind === 'join') continue;
    if (entry.kind === 'start') counting.add(entry, signer);
    else push(bySeat, signer, entry);
  }
  for (const seat of seats.all) evaluateSeat(state, seat, bySeat.get(seat) ?? []);
  return resultOf(state, past);
}

/** Counts the entries of a seat. @param entries each one follows the entries of its past */
function evaluateSeat(state: State, seat: Seat, entries: readonly SignedEntry[]): void {
  const { counting, reasons } = state;
  if (!counting.isLive(seat)) {
    for (const { id } of entries) reasons.set(id, { rule: 'C14' });
    return;
  }
  const ends = counting.endsOf(seat);
  state.ends.set(seat, ends);
  const rightful = entries.filter((entry) => {
    const reason = reasonOfEnd(state, entry, ends) ?? reasonOfRight(state, seat, entry);
    if (reason !== undefined) reasons.set(entry.id, reason);
    return reason === undefined;
  });
  const successors = successorsIn(state, seat, rightful);
  const leaves = countBySeat(state, seat, rightful, successors);
  for (const { id } of successors) state.successors.add(id);
  const gone = [...ends, ...leaves, ...successors].map(({ id }) => id);
  state.gone.set(seat, gone);
}

/** An entry counts only if the author of each end of its signer had seen it (C1, C4). */
function reasonOfEnd({ counting }: State, entry: SignedEntry, ends: readonly End[]): Reason | undefined {
  const end = ends.find(({ id }) => !counting.past.isBefore(entry.id, id));
  return end && { rule: end.kind === 'leave' ? 'C4' : 'C1', entry: end.id };
}

function reasonOfRight({ counting }: State, seat: Seat, entry: SignedEntry): Reason | undefined {
  const rule = unmetCondition(counting, seat, entry);
  return rule && { rule };
}

/** Returns the first entries by which a code names its successor: one, unless there are copies. */
function successorsIn({ counting }: State, seat: Seat, entries: readonly SignedEntry[]): SignedEntry[] {
  const all = entries.filter((entry) => isSuccessor(seat, entry));
  return all.filter(({ id }) => !all.some((other) => counting.past.isBefore(other.id, id)));
}

/** Counts entries, and returns those by which the seat left. */
function countBySeat(
  { counting, reasons }: State,
  seat: Seat,
  entries: readonly SignedEntry[],
  successors: readonly SignedEntry[],
): SignedEntry[] {
  const { past } = counting;
  const leaves: SignedEntry[] = [];
  const reasonOf = (entry: SignedEntry): Reason | undefined => {
    if (isSuccessor(seat, entry)) {
      const other = successors.find((one) => one !== entry);
      return other && { rule: 'C5', entry: other.id };
    }
    const next = successors.find(({ id }) => !past.isBefore(entry.id, id));
    if (next !== undefined) return { rule: 'C5', entry: next.id };
    const leave = leaves.find(({ id }) => past.isBefore(id, entry.id));
    return leave && { rule: 'C4', entry: leave.id };
  };
  for (const entry of entries) {
    const reason = reasonOf(entry);
    if (reason !== undefined) reasons.set(entry.id, reason);
    else {
      counting.add(entry, seat);
      if (entry.kind === 'leave') leaves.push(entry);
    }
  }
  return leaves;
}

function resultOf(state: State, past: Past): Membership {
  const { counting, reasons, ends, gone } = state;
  const { seats } = counting;
  const isCurrent = (seat: Seat) => gone.get(seat)?.length === 0;
  return {
    past,
    seats,
    counting,
    members: membersIn(counting, seats.all.filter(isCurrent)),
    heads: headsIn(state),
    counts: (id) => counting.entries.has(id),
    reasonOf: (id) => reasons.get(id) ?? (past.entryOf(id) === undefined ? { rule: 'present' } : undefined),
    isCurrent,
    endsOf: (seat) => ends.get(seat) ?? [],
    gone: new Set([...gone.values()].flat()),
  };
}

function membersIn(counting: Counting, current: readonly Seat[]): Member[] {
  const { past, seats } = counting;
  const ofPersons = new Map<EntryId, Seat[]>();
  for (const seat of current) push(ofPersons, seat.person, seat);
  const members = [...ofPersons].map(([person, own]): Member => {
    const admission = past.entryOf(person) as Admission;
    const keysOf = (kind: Seat['kind']) =>
      own.flatMap((seat) => (seat.kind === kind ? [seat.key] : [])).sort();
    return {
      person,
      user: admission.user,
      name: admission.name,
      role: counting.roleOf(person),
      admittedBy: admission.kind === 'start' ? undefined : seats.signerOf(admission)?.person,
      devices: keysOf('device'),
      codes: keysOf('code'),
    };
  });
  return members.sort((a, b) => (a.person < b.person ? -1 : 1));
}

/** Returns the entries that count or spend a code, and that no other of these follows. */
function headsIn({ counting, successors }: State): EntryId[] {
  return counting.past.latestOf([...counting.entries.keys(), ...successors]).sort();
}
