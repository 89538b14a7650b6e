/**
 * Decides which events of a ledger with a log are accepted, and as whose
 * (docs/internals/membership-rules.md, "Events").
 */
import type { EntryId, LogEntry, SigningKey } from '@fixpoint/protocol/storage';
import type { Membership } from './evaluate.ts';
import { push } from './push.ts';
import type { Seat } from './seats.ts';

/** The CID of an event, in the form that cuts have. */
type EventId = string;

export interface LoggedEvent {
  readonly id: EventId;
  readonly parents: readonly EventId[];
  /** The id of the device in the stamp; see {@link deviceIdOf}. Undefined without a stamp. */
  readonly device?: string | undefined;
  /** The name in a stamp of version 3; see {@link nameOf}. Undefined if the event names nothing. */
  readonly names?: string | undefined;
}

export interface EventHistory {
  /** Returns an event; undefined if it isn't here. */
  eventOf(id: EventId): LoggedEvent | undefined;
  /** Returns whether the signature of an event is valid by a key. */
  isSignedBy(event: LoggedEvent, key: SigningKey): Promise<boolean>;
}

export type Label =
  | { readonly kind: 'verified'; readonly seat: Seat }
  | { readonly kind: 'before the log' }
  | {
      readonly kind: 'vouched for';
      readonly by: EventId;
      readonly seat: Seat;
      /** Whether the seat knew that somebody had ended the seat of the event (E5). */
      readonly knew: boolean;
    };

export interface AcceptedEvents {
  /** The newest accepted events, sorted. Their ancestors are accepted, too. */
  readonly head: readonly EventId[];
  /** The events that were checked and aren't accepted (E9). */
  readonly withheld: readonly EventId[];
}

/** The start of a key's x coordinate, which is the id of its device in stamps. */
export const deviceIdOf = (key: SigningKey): string => key.slice(2, 34);

/** The first 16 bytes of an entry's id, by which events name it. */
export const nameOf = (id: EntryId): string => id.slice(0, 32);

/** Checks the events of one ledger. Remembers results, so create a new one when the log changes. */
export class EventRules {
  readonly #membership: Membership;
  readonly #history: EventHistory;
  readonly #start: EntryId;
  readonly #named = new Map<string, EntryId[]>();
  readonly #devices = new Map<string, Seat[]>();
  readonly #cuts = new Map<EntryId, ReadonlySet<EventId>>();
  readonly #direct = new Map<EventId, Promise<Seat | undefined>>();

  /** @param start the id of the first entry */
  constructor(membership: Membership, history: EventHistory, start: EntryId) {
    this.#membership = membership;
    this.#history = history;
    this.#start = start;
    for (const { id } of membership.past.entries) push(this.#named, nameOf(id), id);
    for (const seat of membership.seats.all)
      if (seat.kind === 'device') push(this.#devices, deviceIdOf(seat.key), seat);
  }

  /** Returns the entries that an event names. */
  namedBy({ names }: LoggedEvent): readonly EntryId[] {
    return names === undefined ? [] : (this.#named.get(names) ?? []);
  }

  /** Returns the highest seat by which an event is accepted directly. */
  directSeatOf(event: LoggedEvent): Promise<Seat | undefined> {
    const known = this.#direct.get(event.id);
    if (known !== undefined) return known;
    const found = this.#findSeat(event, (seat) => this.#isRightful(seat, event));
    this.#direct.set(event.id, found);
    return found;
  }

  /** Returns whether an event is in the cut of `start`. */
  isBeforeLog({ id }: LoggedEvent): boolean {
    const first = this.#membership.past.entryOf(this.#start);
    return first !== undefined && this.#cutOf(first).has(id);
  }

  /**
   * Walks from events to their parents until events that are accepted.
   * @param known the newest known events
   */
  async accept(known: Iterable<EventId>): Promise<AcceptedEvents> {
    const accepted = new Set<EventId>();
    const withheld: EventId[] = [];
    const seen = new Set<EventId>();
    const open = [...known];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      const event = this.#history.eventOf(id);
      if (event === undefined || seen.has(id)) continue;
      seen.add(id);
      if (this.isBeforeLog(event) || (await this.directSeatOf(event)) !== undefined) accepted.add(id);
      else {
        withheld.push(id);
        for (const parent of event.parents) open.push(parent);
      }
    }
    const covered = this.#ancestorsOf(
      [...accepted].flatMap((id) => this.#history.eventOf(id)?.parents ?? []),
    );
    const head = [...accepted].filter((id) => !covered.has(id)).sort();
    // An accepted event may have a withheld one as its ancestor, which then is accepted, too.
    return { head, withheld: withheld.filter((id) => !covered.has(id)).sort() };
  }

  /**
   * Returns as whose event devices show an accepted event; undefined if it isn't accepted.
   * @param head the accepted head
   */
  async labelOf(event: LoggedEvent, head: readonly EventId[]): Promise<Label | undefined> {
    const own = await this.directSeatOf(event);
    if (own !== undefined) return { kind: 'verified', seat: own };
    if (this.isBeforeLog(event)) return { kind: 'before the log' };
    const voucher = await this.#voucherOf(event, head);
    if (voucher === undefined) return undefined;
    const author = await this.#findSeat(event, () => true);
    const ends = author === undefined ? [] : this.#membership.endsOf(author);
    const knows = await Promise.all(ends.map(({ id }) => this.#knew(voucher.event, voucher.seat, id)));
    return { kind: 'vouched for', by: voucher.event.id, seat: voucher.seat, knew: knows.some(Boolean) };
  }

  /**
   * Returns the current seat with the right to write that signed an event whose name is unknown.
   * Such an event shows that the server withholds entries (E7).
   */
  async unknownNamer(event: LoggedEvent): Promise<Seat | undefined> {
    if (event.names === undefined || this.namedBy(event).length > 0) return undefined;
    const { members, isCurrent } = this.#membership;
    const isWriter = ({ person }: Seat) =>
      members.some((member) => member.person === person && member.role !== 'read');
    return this.#findSeat(event, (seat) => isCurrent(seat) && isWriter(seat));
  }

  async #findSeat(event: LoggedEvent, isRight: (seat: Seat) => boolean): Promise<Seat | undefined> {
    for (const seat of this.#devices.get(event.device ?? '') ?? [])
      if (isRight(seat) && (await this.#history.isSignedBy(event, seat.key))) return seat;
    return undefined;
  }

  #isRightful(seat: Seat, event: LoggedEvent): boolean {
    const { counting, endsOf } = this.#membership;
    const named = this.namedBy(event);
    if (named.length === 0 || !counting.isLive(seat)) return false;
    if (!endsOf(seat).every((end) => this.#cutOf(end).has(event.id))) return false;
    return named.every((name) => this.#mayWriteAt(seat, event.id, name));
  }

  /** Returns whether an event that names this entry has the right to write. */
  #mayWriteAt({ entry, person }: Seat, event: EventId, name: EntryId): boolean {
    const { past, counting } = this.#membership;
    const isKnown = (id: EntryId) => id === name || past.isBefore(id, name);
    const { given, taken } = counting.changesOf(person, 'write');
    const known = given.filter(({ id }) => isKnown(id));
    if (!isKnown(entry)) return false;
    // An admission with the role `read` is one of `taken`.
    return taken.every((loss) => {
      const isGivenAgain = known.some(({ id }) => past.isBefore(loss.id, id));
      return isGivenAgain || this.#cut(loss.id, loss.cut).has(event);
    });
  }

  #cutOf(entry: LogEntry): ReadonlySet<EventId> {
    return this.#cut(entry.id, 'cut' in entry ? entry.cut : []);
  }

  #cut(id: EntryId, listed: readonly EventId[]): ReadonlySet<EventId> {
    const known = this.#cuts.get(id) ?? this.#ancestorsOf(listed);
    this.#cuts.set(id, known);
    return known;
  }

  /** Returns the events that are here, and all their ancestors. */
  #ancestorsOf(ids: readonly EventId[]): ReadonlySet<EventId> {
    const found = new Set<EventId>();
    const open = [...ids];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      const event = found.has(id) ? undefined : this.#history.eventOf(id);
      if (event === undefined) continue;
      found.add(id);
      for (const parent of event.parents) open.push(parent);
    }
    return found;
  }

  /** Returns the direct event with the fewest steps to an event, then the lowest CID. */
  async #voucherOf(
    event: LoggedEvent,
    head: readonly EventId[],
  ): Promise<{ event: LoggedEvent; seat: Seat } | undefined> {
    const children = new Map<EventId, EventId[]>();
    for (const id of this.#ancestorsOf(head))
      for (const parent of this.#history.eventOf(id)?.parents ?? []) push(children, parent, id);
    const seen = new Set<EventId>();
    for (let level = [event.id]; level.length > 0; ) {
      level = [...new Set(level.flatMap((id) => children.get(id) ?? []))]
        .filter((id) => !seen.has(id))
        .sort();
      for (const id of level) {
        seen.add(id);
        const next = this.#history.eventOf(id);
        const seat = next && (await this.directSeatOf(next));
        if (next !== undefined && seat !== undefined) return { event: next, seat };
      }
    }
    return undefined;
  }

  /** Returns whether an event, or an earlier one of the same seat, names an entry (`knew`). */
  async #knew(event: LoggedEvent, seat: Seat, end: EntryId): Promise<boolean> {
    const { past } = this.#membership;
    for (const id of this.#ancestorsOf([event.id])) {
      const one = this.#history.eventOf(id) as LoggedEvent;
      const isNamed = this.namedBy(one).some((name) => name === end || past.isBefore(end, name));
      if (isNamed && one.device === event.device && (await this.#history.isSignedBy(one, seat.key)))
        return true;
    }
    return false;
  }
}
