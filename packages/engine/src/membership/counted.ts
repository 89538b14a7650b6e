/** The entries that count so far, and what they say about roles and ends. */
import {
  type EntryId,
  includes,
  type LeaveEntry,
  type RemoveEntry,
  type Role,
  type SignedEntry,
  type SigningKey,
} from '@fixpoint/protocol/storage';
import type { Past } from './present.ts';
import { push } from './push.ts';
import type { Seat, Seats } from './seats.ts';

/** An entry that gives a role to a person, or takes it. */
interface RoleChange {
  readonly id: EntryId;
  readonly role: Role;
  readonly cut: readonly string[];
}

interface KeyRemoval {
  readonly entry: RemoveEntry;
  readonly signer: Seat;
}

/** An entry that ended a seat. */
export type End = RemoveEntry | LeaveEntry;

const NONE: ReadonlySet<RemoveEntry> = new Set();

/**
 * Collects entries while the seats are evaluated, from the highest rank to the lowest. All entries
 * about a seat or person were added before the seat's own entries are evaluated.
 */
export class Counting {
  readonly past: Past;
  readonly seats: Seats;
  readonly entries = new Map<EntryId, SignedEntry>();
  readonly #changes = new Map<EntryId, RoleChange[]>();
  readonly #removalsOfPersons = new Map<EntryId, RemoveEntry[]>();
  readonly #removalsOfKeys = new Map<SigningKey, KeyRemoval[]>();
  readonly #leaves = new Map<EntryId, LeaveEntry[]>();
  readonly #hadRoles = new Map<EntryId, Map<string, boolean>>();
  readonly #removalsOfSeats = new Map<Seat, ReadonlySet<RemoveEntry>>();

  constructor(past: Past, seats: Seats) {
    this.past = past;
    this.seats = seats;
  }

  add(entry: SignedEntry, signer: Seat): void {
    const { id } = entry;
    this.entries.set(id, entry);
    switch (entry.kind) {
      case 'start':
      case 'person':
        push(this.#changes, id, { id, role: entry.role, cut: [] });
        break;
      case 'role':
        push(this.#changes, entry.person, entry);
        break;
      case 'leave':
        if (entry.all) push(this.#leaves, signer.person, entry);
        break;
      case 'remove':
        if ('person' in entry.target) push(this.#removalsOfPersons, entry.target.person, entry);
        else push(this.#removalsOfKeys, entry.target.key, { entry, signer });
    }
  }

  /** Returns whether the entries that introduced a seat and its person count (C14). */
  isLive({ entry, person }: Seat): boolean {
    return this.entries.has(entry) && this.entries.has(person);
  }

  /** Returns the entries that give a person at least a role, and those that take it. */
  changesOf(person: EntryId, role: Role): { given: readonly RoleChange[]; taken: readonly RoleChange[] } {
    const all = this.#changes.get(person) ?? [];
    const isGiven = (change: RoleChange) => includes(change.role, role);
    return { given: all.filter(isGiven), taken: all.filter((one) => !isGiven(one)) };
  }

  /**
   * Returns whether a person had a role when they signed an entry (`roleAt`). Remembers the result,
   * so it is only called once all role entries about the person are known.
   */
  hadRole(person: EntryId, role: Role, at: EntryId): boolean {
    const name = `${person} ${role}`;
    const atEntry = this.#hadRoles.get(at) ?? new Map<string, boolean>();
    const found = atEntry.get(name) ?? this.#findRole(person, role, at);
    this.#hadRoles.set(at, atEntry.set(name, found));
    return found;
  }

  #findRole(person: EntryId, role: Role, at: EntryId): boolean {
    const { given, taken } = this.changesOf(person, role);
    const known = given.map(({ id }) => id).filter((id) => this.past.isBefore(id, at));
    if (known.length === 0 || taken.length === 0) return known.length > 0;
    const isGivenAgain = this.past.isBeforeAny(known);
    return taken.every(({ id }) => isGivenAgain(id) || this.past.isBefore(at, id));
  }

  /** Returns the highest role that a person has according to everything that is known. */
  roleOf(person: EntryId): Role {
    const has = (role: Role) => {
      const { given, taken } = this.changesOf(person, role);
      if (given.length === 0 || taken.length === 0) return given.length > 0;
      const isGivenAgain = this.past.isBeforeAny(given.map(({ id }) => id));
      return taken.every(({ id }) => isGivenAgain(id));
    };
    return (['admin', 'write'] as const).find(has) ?? 'read';
  }

  /** Returns whether a signer was an admin above a person (`above`). */
  isAdminAbove(signer: Seat, person: EntryId, at: EntryId): boolean {
    return this.seats.isPersonAbove(signer.person, person) && this.hadRole(signer.person, 'admin', at);
  }

  /** Returns whether a removal of a key by this signer ends a seat of the key (`hits`). */
  mayEnd(signer: Seat, seat: Seat, at: EntryId): boolean {
    const isOwn = signer.person === seat.person;
    return this.seats.isAbove(signer, seat) && (isOwn || this.isAdminAbove(signer, seat.person, at));
  }

  /**
   * Returns the counting entries that ended a seat (`ends`; C2, C4). Must be called once for each
   * live seat, in the order of rank, and before entries of this seat are added. So all leaves that
   * were added are those of higher seats.
   */
  endsOf(seat: Seat): readonly End[] {
    const leaves = this.#leaves.get(seat.person) ?? [];
    const left = leaves.filter(({ id }) => this.past.isBefore(seat.entry, id));
    return [...this.#removalsOf(seat), ...left];
  }

  /**
   * Returns the removals that ended a seat, by itself or by an earlier seat of its line. Remembers
   * the result for the seats that this one introduced, which all rank lower.
   */
  #removalsOf(seat: Seat): ReadonlySet<RemoveEntry> {
    const ofLine = seat.from === undefined ? undefined : this.#removalsOfSeats.get(seat.from);
    const inherited = [...(ofLine ?? NONE)].filter(({ keep }) => !keep.includes(seat.key));
    const hits = this.#hitsOn(seat);
    const found = hits.length + inherited.length === 0 ? NONE : new Set([...hits, ...inherited]);
    this.#removalsOfSeats.set(seat, found);
    return found;
  }

  /** Returns the removals that name a seat or its person themselves. */
  #hitsOn(seat: Seat): RemoveEntry[] {
    const ofKey = (this.#removalsOfKeys.get(seat.key) ?? []).filter(({ entry, signer }) =>
      this.mayEnd(signer, seat, entry.id),
    );
    return [...(this.#removalsOfPersons.get(seat.person) ?? []), ...ofKey.map(({ entry }) => entry)];
  }
}
