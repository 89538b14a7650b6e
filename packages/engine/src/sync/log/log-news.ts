/**
 * Hears the members of a log: their entries and greetings show when each of them was last active
 * (docs/internals/membership-rules.md, N2 and N3). Without new ones, either nobody used the ledger,
 * or the server withholds what they sent. Rows:
 *
 * - `<prefix>log-heard/<entry>/<key>`: of a seat, when it was heard, and the time in its last
 *   greeting, in milliseconds since 1970
 * - `<prefix>log-key-heard`: the id of the current data key, and since when this device knows it
 */
import {
  bytesOfHex,
  type EntryId,
  type Greeting,
  isSignedGreeting,
  PREV_MAX,
  type ReadGreeting,
  readGreeting,
  type SeatName,
  type Signer,
  signedGreeting,
} from '@fixpoint/protocol/storage';
import { isSignedBy } from '../../base/signatures.ts';
import { asArray, decode, encode } from '../../codec/dag-cbor.ts';
import type { Membership } from '../../membership/evaluate.ts';
import { heardAt, isFromFuture, type News } from '../../membership/safety.ts';
import type { Seat } from '../../membership/seats.ts';
import type { StoreChange } from '../../ports/byte-store.ts';
import type { LogView } from '../ledger/log-view.ts';
import { nameIn } from './log-state.ts';
import type { LogMemoryParts } from './stored/log-memory.ts';

const DAY_MS = 86_400_000;
/** How often a device puts its greeting again if the server doesn't list it. */
const RETRY_MS = 3_600_000;

export interface NewsParts extends LogMemoryParts {
  readonly now: () => number;
}

export interface LogNews {
  /** Adds a text of the list that starts like a greeting. */
  add(text: string): void;
  /** Hears entries that aren't among the known ones. */
  hearEntries(view: LogView, known: ReadonlyMap<EntryId, string>): Promise<void>;
  /** Hears the new greetings of current seats. */
  hearGreetings(view: LogView): Promise<void>;
  /**
   * Returns entries that greetings name and that aren't here, each with the entry of the seat that
   * greeted. An honest server accepts no such greeting.
   */
  gaps(view: LogView): ReadonlyMap<EntryId, EntryId>;
  /** Returns when a seat was heard last; undefined if it never was. */
  heardAt(seat: SeatName): number | undefined;
  /** Returns when each person was heard last, by any seat. */
  heardOf(membership: Membership): ReadonlyMap<EntryId, number>;
  /**
   * Returns since when no other device was heard, if that is longer than `afterDays` ago.
   * @param own the seat of this device
   */
  silentSince(membership: Membership, own: SeatName | undefined, afterDays: number): number | undefined;
  /** The names of members whose news claimed a later time than that of its arrival (N3). */
  clocksAhead(): readonly string[];
  /** Returns what differs whenever somebody was heard. */
  mark(): readonly unknown[];
  /** Since when this device knows that a data key is the current one: see `Hearing`. */
  keySince(key: string, claimedMs: number): Promise<number>;
  /** Returns the greeting of this device, if one is due. */
  greeting(view: LogView, own: SeatName, signer: () => Promise<Signer>): Promise<string | undefined>;
}

export function createNews(parts: NewsParts): LogNews {
  const { ledger, now } = parts;
  const hearing = createHearing(parts);
  /** Greetings that weren't heard yet, for example because their seat isn't here. */
  const waiting = new Set<string>();
  const done = new Set<string>();
  const ahead = new Set<string>();
  /** The heads in the last greeting of each seat, with the entry of the seat. */
  const greeted = new Map<string, readonly [heads: readonly EntryId[], seat: EntryId]>();
  const own = ownGreetings(parts, hearing);
  const noteOf = (membership: Membership, seat: Seat, claimedMs: number) => {
    const news: News = { claimedMs, receivedMs: now() };
    const name = nameIn(membership, seat.person);
    if (isFromFuture(news) && name !== undefined) ahead.add(name);
    return [seat, news] as const;
  };

  async function hearOne(
    text: string,
    { membership }: LogView,
  ): Promise<ReadGreeting['greeting'] | undefined> {
    const read = readGreeting(text);
    const seat = read && membership.seats.named(read.greeting.seat);
    // The entry of the seat may arrive later.
    if (read !== undefined && seat === undefined) return undefined;
    waiting.delete(text);
    done.add(text);
    if (read === undefined || seat === undefined || !isGreeter(membership, seat)) return undefined;
    const { greeting } = read;
    if (!hearing.isNew(greeting) && greeted.has(nameOf(seat))) return undefined;
    if ((await isSignedGreeting(read, ledger, isSignedBy)) !== true) return undefined;
    greeted.set(nameOf(seat), [greeting.heads, seat.entry]);
    return hearing.isNew(greeting) ? greeting : undefined;
  }

  return {
    add: (text) => void (done.has(text) || waiting.add(text)),
    hearEntries: async ({ membership }, known) => {
      const { past, seats } = membership;
      const heard = new Map<Seat, boolean>();
      const news = past.entries.flatMap((entry) => {
        const seat = seats.signerOf(entry);
        if (seat === undefined || entry.kind === 'join') return [];
        const isHeard = heard.get(seat) ?? hearing.of(seat) !== undefined;
        heard.set(seat, isHeard);
        return isHeard && known.has(entry.id) ? [] : [noteOf(membership, seat, entry.at)];
      });
      await hearing.note(news, []);
    },
    hearGreetings: async (view) => {
      if (waiting.size === 0) return;
      const heard: ReadGreeting['greeting'][] = [];
      for (const text of waiting) {
        const one = await hearOne(text, view);
        if (one !== undefined) heard.push(one);
        own.heard(text);
      }
      const news = heard.flatMap(({ seat, at }) => {
        const known = view.membership.seats.named(seat);
        return known === undefined ? [] : [noteOf(view.membership, known, at)];
      });
      await hearing.note(news, heard);
    },
    gaps: ({ read }) => {
      const found = new Map<EntryId, EntryId>();
      for (const [heads, seat] of greeted.values())
        for (const id of heads) if (!read.readOf.has(id)) found.set(id, seat);
      return found;
    },
    heardAt: hearing.of,
    heardOf: (membership) => heardOf(membership, hearing),
    silentSince: (membership, self, afterDays) => {
      const last = lastHeard(membership, self, hearing.of, now()) ?? now();
      return now() - last > afterDays * DAY_MS ? last : undefined;
    },
    ...{ clocksAhead: () => [...ahead].sort(), mark: () => [hearing.changes(), ahead.size] },
    keySince: (key, claimedMs) => hearing.keySince(key, claimedMs, now()),
    greeting: own.greeting,
  };
}

function heardOf({ seats }: Membership, hearing: Hearing): ReadonlyMap<EntryId, number> {
  const found = new Map<EntryId, number>();
  for (const seat of seats.all) {
    const at = hearing.of(seat);
    if (at !== undefined) found.set(seat.person, Math.max(at, found.get(seat.person) ?? at));
  }
  return found;
}

/** Signs a greeting each day. Puts it again hourly until the server lists it. */
function ownGreetings({ ledger, now }: NewsParts, hearing: Hearing) {
  let last: { readonly text: string; readonly at: number; readonly triedAt: number } | undefined;
  const greeting: LogNews['greeting'] = async ({ heads }, seat, signer) => {
    const greetedAt = hearing.greetedAt(seat);
    if (now() - greetedAt < DAY_MS || now() - (last?.triedAt ?? 0) < RETRY_MS) return undefined;
    const at = now();
    const fields = {
      at: bytesOfHex(at.toString(16).padStart(12, '0')),
      in: bytesOfHex(seat.entry),
      heads: heads.slice(0, PREV_MAX).map(bytesOfHex),
    };
    // Another tab may have put a newer one since, which the server keeps instead.
    const known = last !== undefined && last.at > greetedAt ? last : undefined;
    const text = known?.text ?? (await signedGreeting(fields, ledger, await signer()));
    last = { text, at: known?.at ?? at, triedAt: now() };
    return text;
  };
  const heard = (text: string): void => {
    if (text === last?.text) last = undefined;
  };
  return { greeting, heard };
}

const nameOf = ({ entry, key }: SeatName): string => `${entry}/${key}`;

/** Codes are used once, so they don't greet. */
const isGreeter = ({ isCurrent }: Membership, seat: Seat): boolean =>
  seat.kind === 'device' && isCurrent(seat);

/** Returns when another current device was heard last. A device that never was counts as added. */
function lastHeard(
  membership: Membership,
  own: SeatName | undefined,
  heardAt: (seat: SeatName) => number | undefined,
  now: number,
): number | undefined {
  const others = membership.seats.all.filter(
    (seat) => isGreeter(membership, seat) && !(seat.key === own?.key && seat.entry === own.entry),
  );
  let last: number | undefined;
  for (const seat of others) {
    const entry = membership.past.entryOf(seat.entry);
    const added = entry !== undefined && 'at' in entry ? Math.min(entry.at, now) : 0;
    last = Math.max(last ?? 0, heardAt(seat) ?? added);
  }
  return last;
}

interface Heard {
  /** When the seat was heard (`heardAt`). */
  readonly at: number;
  /** The time that its last greeting claims. */
  readonly greetedAt: number;
}

export interface Hearing {
  /** Returns when a seat was heard; undefined if it never was. */
  of(seat: SeatName): number | undefined;
  /** Returns the time that the last greeting of a seat claims; 0 without one. */
  greetedAt(seat: SeatName): number;
  /** Returns whether a greeting is newer than those that this device heard. */
  isNew(greeting: Greeting): boolean;
  /** Returns how often this changed since it was opened. */
  changes(): number;
  /** Remembers news of seats. */
  note(news: readonly (readonly [SeatName, News])[], greetings: readonly Greeting[]): Promise<void>;
  /**
   * Returns since when a data key is the current one: the earlier of the time that its author
   * claims, and the time at which this device learned of it.
   */
  keySince(key: string, claimedMs: number, now: number): Promise<number>;
}

/** @throws FixpointError CORRUPT if the rows are damaged */
export function createHearing({
  prefix,
  rows,
  save,
}: Pick<LogMemoryParts, 'prefix' | 'rows' | 'save'>): Hearing {
  const start = `${prefix}log-heard/`;
  const keyRow = `${prefix}log-key-heard`;
  const heard = new Map<string, Heard>();
  for (const [row, bytes] of rows) {
    if (!row.startsWith(start)) continue;
    const [at, greetedAt] = asArray(decode(bytes)).map(Number);
    heard.set(row.slice(start.length), { at: at as number, greetedAt: greetedAt as number });
  }
  const stored = rows.get(keyRow);
  const greetedAt = (seat: SeatName): number => heard.get(nameOf(seat))?.greetedAt ?? 0;
  let [currentKey, since] = stored === undefined ? [] : asArray(decode(stored));
  let changes = 0;

  return {
    changes: () => changes,
    of: (seat) => heard.get(nameOf(seat))?.at,
    greetedAt,
    isNew: ({ seat, at }) => at > greetedAt(seat),
    note: async (news, greetings) => {
      const next = new Map<string, Heard>();
      const known = (name: string) => next.get(name) ?? heard.get(name) ?? { at: 0, greetedAt: 0 };
      for (const [seat, one] of news) {
        const before = known(nameOf(seat));
        next.set(nameOf(seat), { ...before, at: Math.max(before.at, heardAt([one]) ?? 0) });
      }
      for (const { seat, at } of greetings) {
        const before = known(nameOf(seat));
        next.set(nameOf(seat), { ...before, greetedAt: Math.max(before.greetedAt, at) });
      }
      const isChanged = ([name, { at, greetedAt }]: [string, Heard]) =>
        at !== heard.get(name)?.at || greetedAt !== heard.get(name)?.greetedAt;
      const changed = [...next].filter(isChanged);
      if (changed.length === 0) return;
      await save(
        changed.map(
          ([name, { at, greetedAt }]): StoreChange => ({ key: start + name, bytes: encode([at, greetedAt]) }),
        ),
      );
      for (const [name, one] of changed) heard.set(name, one);
      changes += 1;
    },
    keySince: async (key, claimedMs, now) => {
      if (currentKey !== key) {
        const first = Math.min(claimedMs, now);
        await save([{ key: keyRow, bytes: encode([key, first]) }]);
        [currentKey, since] = [key, first];
      }
      return Number(since);
    },
  };
}
