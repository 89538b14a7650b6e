/**
 * Decides which events of a ledger with a log are accepted, and as whose
 * (docs/internals/membership-rules.md, "Events").
 */
import type { EntryId, LogEntry, SigningKey } from '@fixpoint/protocol/storage';
import type { Membership } from './evaluate.ts';
import { push } from './push.ts';
import type { Seat } from './seats.ts';

/** The CID of an event. */
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
  eventOf(id: EventId): Promise<LoggedEvent | undefined>;
  /** Returns whether the signature of an event is valid by a key. */
  isSignedBy(event: LoggedEvent, key: SigningKey): Promise<boolean>;
  /** Returns the id of an event that a cut lists. */
  idOf(listed: string): EventId;
  /** Returns those events that aren't ancestors of another one of them. */
  latestOf(ids: readonly EventId[]): Promise<readonly EventId[]>;
  /** Returns whether an event belongs to this device, which keeps it in any case (E6). */
  isOwn?(event: LoggedEvent): Promise<boolean>;
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
  /** The events that were checked and aren't accepted (E9), sorted. */
  readonly withheld: readonly EventId[];
  /** The events in the head that only this device accepts, because they are its own (E6). */
  readonly own: readonly EventId[];
  /** Events that the walk reached, and that aren't here. */
  readonly missing: readonly EventId[];
}

/**
 * Why an event isn't accepted directly. `not signed`: its signature isn't that of the device in its
 * stamp. `removed`: its signer was removed, and it isn't in the cut.
 */
export type Unaccepted =
  | 'unknown device'
  | 'not signed'
  | 'names nothing'
  | 'unknown entry'
  | 'removed'
  | 'no right';

/** The start of a key's x coordinate, which is the id of its device in stamps. */
export const deviceIdOf = (key: SigningKey): string => key.slice(2, 34);

/** The first 16 bytes of an entry's id, by which events name it. */
export const nameOf = (id: EntryId): string => id.slice(0, 32);

function entriesByName({ past }: Membership): ReadonlyMap<string, readonly EntryId[]> {
  const named = new Map<string, EntryId[]>();
  for (const { id } of past.entries) push(named, nameOf(id), id);
  return named;
}

/** Checks the events of one ledger. Remembers results, so create a new one when the log changes. */
export class EventRules {
  readonly #membership: Membership;
  readonly #history: EventHistory;
  readonly #start: EntryId;
  #named: ReadonlyMap<string, readonly EntryId[]> | undefined;
  readonly #devices = new Map<string, Seat[]>();
  readonly #cuts = new Map<EntryId, ReadonlySet<EventId>>();
  readonly #direct = new Map<EventId, Seat>();
  readonly #namers = new Map<EventId, Promise<Seat | undefined>>();
  #children?: { readonly name: string; readonly found: Promise<ReadonlyMap<EventId, readonly EventId[]>> };

  /** @param start the id of the first entry */
  constructor(membership: Membership, history: EventHistory, start: EntryId) {
    this.#membership = membership;
    this.#history = history;
    this.#start = start;
    for (const seat of membership.seats.all)
      if (seat.kind === 'device') push(this.#devices, deviceIdOf(seat.key), seat);
  }

  /** Returns the entries that an event names. */
  namedBy({ names }: Pick<LoggedEvent, 'names'>): readonly EntryId[] {
    if (names === undefined) return [];
    this.#named ??= entriesByName(this.#membership);
    return this.#named.get(names) ?? [];
  }

  /** Returns the highest seat by which an event is accepted directly. */
  async directSeatOf(event: LoggedEvent): Promise<Seat | undefined> {
    const known = this.#direct.get(event.id);
    if (known !== undefined) return known;
    const found = await this.#findSeat(event, (seat) => this.#isRightful(seat, event));
    // Otherwise, a cut may still grow.
    if (found !== undefined) this.#direct.set(event.id, found);
    return found;
  }

  /** Returns whether an event is in the cut of `start`. */
  async isBeforeLog({ id }: LoggedEvent): Promise<boolean> {
    const first = this.#membership.past.entryOf(this.#start);
    return first !== undefined && this.#isInCut(first, id);
  }

  /** Returns whether the head may contain an event, whatever follows it. */
  async isAccepted(event: LoggedEvent): Promise<boolean> {
    // Directly first, because the cut is long.
    return (await this.directSeatOf(event)) !== undefined || this.isBeforeLog(event);
  }

  /**
   * Walks from events to their parents until events that are accepted.
   * @param known the newest known events
   */
  async accept(known: Iterable<EventId>): Promise<AcceptedEvents> {
    const accepted = new Set<EventId>();
    const kept = new Set<EventId>();
    const withheld: EventId[] = [];
    const missing: EventId[] = [];
    const seen = new Set<EventId>();
    const open = [...known];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (seen.has(id)) continue;
      seen.add(id);
      const event = await this.#history.eventOf(id);
      if (event === undefined) missing.push(id);
      else if (await this.isAccepted(event)) accepted.add(id);
      else if ((await this.#history.isOwn?.(event)) === true) kept.add(id);
      else {
        withheld.push(id);
        for (const parent of event.parents) open.push(parent);
      }
    }
    const head = [...(await this.#history.latestOf([...accepted, ...kept]))].sort();
    const own = head.filter((id) => kept.has(id));
    if (withheld.length === 0) return { head, withheld, own, missing };
    // An accepted event may have a withheld one as its ancestor, which then is accepted, too.
    const { found: covered } = await this.#ancestorsOf(head);
    return { head, withheld: withheld.filter((id) => !covered.has(id)).sort(), own, missing };
  }

  /**
   * Returns as whose event devices show an accepted event; undefined if it isn't accepted.
   * @param head the accepted head
   */
  async labelOf(event: LoggedEvent, head: readonly EventId[]): Promise<Label | undefined> {
    const own = await this.directSeatOf(event);
    if (own !== undefined) return { kind: 'verified', seat: own };
    if (await this.isBeforeLog(event)) return { kind: 'before the log' };
    const voucher = await this.#voucherOf(event, head);
    if (voucher === undefined) return undefined;
    const author = await this.#findSeat(event, () => true);
    const ends = author === undefined ? [] : this.#membership.endsOf(author);
    const knows = await Promise.all(ends.map(({ id }) => this.#knew(voucher.event, voucher.seat, id)));
    return { kind: 'vouched for', by: voucher.event.id, seat: voucher.seat, knew: knows.some(Boolean) };
  }

  /**
   * Returns why an event isn't accepted directly, and who signed it. Ignores seats that never
   * counted, because anybody can write an entry for one, with any name.
   */
  async reasonOf(event: LoggedEvent): Promise<{ readonly reason: Unaccepted; readonly seat?: Seat }> {
    const { counting, endsOf } = this.#membership;
    const isLive = (seat: Seat) => counting.isLive(seat);
    if (!(this.#devices.get(event.device ?? '') ?? []).some(isLive)) return { reason: 'unknown device' };
    const seat = await this.#findSeat(event, isLive);
    if (seat === undefined) return { reason: 'not signed' };
    if (event.names === undefined) return { reason: 'names nothing', seat };
    if (this.namedBy(event).length === 0) return { reason: 'unknown entry', seat };
    return { reason: endsOf(seat).length > 0 ? 'removed' : 'no right', seat };
  }

  /** Returns whether a device in the log signed an event; `unknown` if none has its device id. */
  async signatureOf(event: LoggedEvent): Promise<'valid' | 'bad' | 'unknown'> {
    if ((this.#devices.get(event.device ?? '') ?? []).length === 0) return 'unknown';
    return (await this.#findSeat(event, () => true)) === undefined ? 'bad' : 'valid';
  }

  /**
   * Returns the current seat with the right to write that signed an event whose name is unknown.
   * Such an event shows that the server withholds entries (E7).
   */
  async unknownNamer(event: LoggedEvent): Promise<Seat | undefined> {
    if (event.names === undefined || this.namedBy(event).length > 0) return undefined;
    const known = this.#namers.get(event.id);
    if (known !== undefined) return known;
    const found = this.#findSeat(event, (seat) => this.#isWriter(seat));
    this.#namers.set(event.id, found);
    // The next check reads again, because a failed read may succeed later.
    found.catch(() => this.#namers.delete(event.id));
    return found;
  }

  /** Returns the current seat of a key with the right to write, if no entry has this name. */
  writerOf({ name, key }: { readonly name: string; readonly key: SigningKey }): Seat | undefined {
    this.#named ??= entriesByName(this.#membership);
    if (this.#named.has(name)) return undefined;
    return (this.#devices.get(deviceIdOf(key)) ?? []).find(
      (seat) => seat.key === key && this.#isWriter(seat),
    );
  }

  #isWriter(seat: Seat): boolean {
    const { members, isCurrent } = this.#membership;
    const isOwn = ({ person }: { readonly person: EntryId }) => person === seat.person;
    return isCurrent(seat) && members.some((one) => isOwn(one) && one.role !== 'read');
  }

  async #findSeat(
    event: LoggedEvent,
    isRight: (seat: Seat) => boolean | Promise<boolean>,
  ): Promise<Seat | undefined> {
    for (const seat of this.#devices.get(event.device ?? '') ?? [])
      if ((await isRight(seat)) && (await this.#history.isSignedBy(event, seat.key))) return seat;
    return undefined;
  }

  async #isRightful(seat: Seat, event: LoggedEvent): Promise<boolean> {
    const { counting, endsOf } = this.#membership;
    const named = this.namedBy(event);
    if (named.length === 0 || !counting.isLive(seat)) return false;
    for (const end of endsOf(seat)) if (!(await this.#isInCut(end, event.id))) return false;
    for (const name of named) if (!(await this.#mayWriteAt(seat, event.id, name))) return false;
    return true;
  }

  /** Returns whether an event that names this entry has the right to write. */
  async #mayWriteAt({ entry, person }: Seat, event: EventId, name: EntryId): Promise<boolean> {
    const { past, counting } = this.#membership;
    const isKnown = (id: EntryId) => id === name || past.isBefore(id, name);
    const { given, taken } = counting.changesOf(person, 'write');
    const known = given.filter(({ id }) => isKnown(id));
    if (!isKnown(entry)) return false;
    for (const loss of taken) {
      // An admission with the role `read` is one of `taken`.
      if (known.some(({ id }) => past.isBefore(loss.id, id))) continue;
      if (!(await this.#isInCut(loss, event))) return false;
    }
    return true;
  }

  /** Returns whether an entry lists an event that is here, or one that follows it. */
  async #isInCut(entry: Pick<LogEntry, 'id'>, event: EventId): Promise<boolean> {
    const cut = 'cut' in entry ? (entry.cut as readonly string[]) : [];
    const listed = cut.map(this.#history.idOf);
    return listed.includes(event) || (await this.#cut(entry.id, listed)).has(event);
  }

  async #cut(id: EntryId, listed: readonly EventId[]): Promise<ReadonlySet<EventId>> {
    const known = this.#cuts.get(id);
    if (known !== undefined) return known;
    const { found, isComplete } = await this.#ancestorsOf(listed);
    // Otherwise, the cut grows when more events arrive.
    if (isComplete) this.#cuts.set(id, found);
    return found;
  }

  /** Returns those events that are here, and their ancestors. */
  async #ancestorsOf(
    ids: readonly EventId[],
  ): Promise<{ readonly found: ReadonlySet<EventId>; readonly isComplete: boolean }> {
    const found = new Set<EventId>();
    let isComplete = true;
    const open = [...ids];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (found.has(id)) continue;
      const event = await this.#history.eventOf(id);
      if (event === undefined) {
        isComplete = false;
        continue;
      }
      found.add(id);
      for (const parent of event.parents) if (!found.has(parent)) open.push(parent);
    }
    return { found, isComplete };
  }

  /** Returns the direct event with the fewest steps to an event, then the lowest CID. */
  async #voucherOf(
    event: LoggedEvent,
    head: readonly EventId[],
  ): Promise<{ event: LoggedEvent; seat: Seat } | undefined> {
    const children = await this.#childrenBelow(head);
    const seen = new Set<EventId>();
    for (let level = [event.id]; level.length > 0; ) {
      level = [...new Set(level.flatMap((id) => children.get(id) ?? []))]
        .filter((id) => !seen.has(id))
        .sort();
      for (const id of level) {
        seen.add(id);
        const next = await this.#history.eventOf(id);
        const seat = next && (await this.directSeatOf(next));
        if (next !== undefined && seat !== undefined) return { event: next, seat };
      }
    }
    return undefined;
  }

  /** Returns the children of each event of a head's history. Keeps those of the last head. */
  #childrenBelow(head: readonly EventId[]): Promise<ReadonlyMap<EventId, readonly EventId[]>> {
    const name = [...head].sort().join();
    if (this.#children?.name === name) return this.#children.found;
    const find = async () => {
      const children = new Map<EventId, EventId[]>();
      for (const id of (await this.#ancestorsOf(head)).found)
        for (const parent of (await this.#history.eventOf(id))?.parents ?? []) push(children, parent, id);
      return children;
    };
    this.#children = { name, found: find() };
    return this.#children.found;
  }

  /** Returns whether an event, or an earlier one of the same seat, names an entry (`knew`). */
  async #knew(event: LoggedEvent, seat: Seat, end: EntryId): Promise<boolean> {
    const { past } = this.#membership;
    for (const id of (await this.#ancestorsOf([event.id])).found) {
      const one = (await this.#history.eventOf(id)) as LoggedEvent;
      const isNamed = this.namedBy(one).some((name) => name === end || past.isBefore(end, name));
      if (isNamed && one.device === event.device && (await this.#history.isSignedBy(one, seat.key)))
        return true;
    }
    return false;
  }
}
