/**
 * Reports members whose events name entries of the log that aren't here, which an honest server
 * would have delivered before (docs/internals/membership-rules.md, E7). Until the user confirms the
 * list of members, this device approves nobody.
 *
 * Each unknown name is a question, with the key that signed an event with it. A question is stored
 * from the first sight on, so the server can't end it with events that hide that one. Rows:
 *
 * - `<prefix>log-unknown/<name>/<key>`: when a tab first saw the name, in ms since 1970
 * - `<prefix>log-unknown/<name>/<key>/confirmed`: present once the user confirmed the list
 *
 * Tabs share these rows. No tab ever replaces a row of another one: questions and answers are only
 * added, until the entry arrives. So no question vanishes, and no answer is undone, in whatever
 * order tabs write.
 */
import { FixpointError } from '@fixpoint/protocol';
import type { SigningKey } from '@fixpoint/protocol/storage';
import { textOf, utf8 } from '../../base/bytes.ts';
import type { UnconfirmedEntry } from '../../crypto/ledger-keys.ts';
import type { EventRules, LoggedEvent } from '../../membership/events.ts';
import type { StoreChange } from '../../ports/byte-store.ts';

/** For how long a name may be unknown before the device reports it. */
const UNKNOWN_MS = 60_000;
/** Maximum number of names for each key. A member who signs more is asked about already. */
const NAMES_MAX = 100;
const CONFIRMED = '/confirmed';
const NOTHING = new Uint8Array();

type Rows = ReadonlyMap<string, Uint8Array>;

export interface UnknownNamesParts {
  readonly prefix: string;
  /** The rows when the ledger was opened. */
  readonly rows: Rows;
  readonly save: (rows: readonly StoreChange[]) => Promise<void>;
  readonly now: () => number;
  readonly report: (error: unknown) => void;
  /** Requests a complete list, because an event names an unknown entry. */
  readonly refresh: () => void;
}

/** An unknown name, and the key that signed an event with it. */
export interface UnknownName {
  readonly name: string;
  readonly key: SigningKey;
}

interface Question extends UnknownName {
  /** When a tab first saw the name. */
  readonly since: number;
  readonly isConfirmed: boolean;
}

/** The questions after a check. */
export interface Questions {
  readonly all: ReadonlyMap<string, Question>;
  /** The name of the member of each question whose key may write now. */
  readonly members: ReadonlyMap<string, string>;
  readonly rows: readonly StoreChange[];
}

/** The log that this device follows now. */
export interface NamesInLog {
  /** Returns whether an entry with this name is here. */
  readonly isKnown: (name: string) => boolean;
  /** Returns the name of the member with this key; undefined if it may not write. */
  readonly memberOf: (one: UnknownName) => string | undefined;
}

const idOf = ({ name, key }: UnknownName): string => `${name}/${key}`;

export function createUnknownNames(
  { prefix, rows, save, now, report, refresh }: UnknownNamesParts,
  stored: (prefix: string) => Promise<Rows>,
) {
  const start = `${prefix}log-unknown/`;
  const reported = new Set<string>();
  let all: Questions['all'] = questionsIn(start, rows);
  let members: Questions['members'] = new Map();
  // A question from before the device was closed has had its minute.
  const since = new Map([...all.keys()].map((id) => [id, Number.NEGATIVE_INFINITY]));

  /** Returns the questions whose names stay unknown, with the names of their members. */
  const lasting = (): (readonly [string, string])[] =>
    [...members].filter(
      ([id]) => all.get(id)?.isConfirmed === false && now() - (since.get(id) ?? 0) >= UNKNOWN_MS,
    );

  return {
    /**
     * Returns the questions after more events arrived, or the log changed, with those of other
     * tabs. A question about a key that may not write rests: this device may not know yet that it
     * may.
     */
    next: async (found: Iterable<UnknownName>, { isKnown, memberOf }: NamesInLog): Promise<Questions> => {
      const next = new Map(questionsIn(start, await stored(start)));
      const changes: StoreChange[] = [];
      for (const [id, { name }] of [...next]) {
        if (!isKnown(name)) continue;
        next.delete(id);
        for (const key of [start + id, start + id + CONFIRMED]) changes.push({ key, bytes: undefined });
      }
      for (const { name, key } of found) {
        const one = { name, key, since: now(), isConfirmed: false };
        const id = idOf(one);
        if (next.has(id) || isKnown(name) || memberOf(one) === undefined || !hasRoom(next, key)) continue;
        next.set(id, one);
        changes.push({ key: start + id, bytes: utf8(String(one.since)) });
      }
      const named = [...next].map(([id, one]) => [id, memberOf(one)] as const);
      return {
        all: next,
        members: new Map(named.flatMap(([id, name]) => (name === undefined ? [] : [[id, name]]))),
        rows: changes,
      };
    },
    /** Continues with questions that are stored. */
    take: (next: Questions): void => {
      ({ all, members } = next);
      for (const id of [...since.keys()]) if (!all.has(id)) since.delete(id);
      const fresh = [...all].filter(([id]) => !since.has(id));
      for (const [id, one] of fresh) since.set(id, Math.min(one.since, now()));
      if (fresh.length > 0) refresh();
    },
    report: (): void => {
      for (const [id, member] of lasting()) {
        if (reported.has(member)) continue;
        reported.add(member);
        const { name } = all.get(id) as Question;
        report(new FixpointError('LEDGER_FORKED', `unknown entry ${name} in an event of ${member}`));
      }
    },
    /** Returns the entries because of which the user must confirm the list, by member. */
    unconfirmed: (): readonly UnconfirmedEntry[] =>
      lasting()
        .map(([id, member]) => ({ id, member }))
        .sort((a, b) => (a.member < b.member || (a.member === b.member && a.id < b.id) ? -1 : 1)),
    /** Notes that the user compared the list of members because of these entries. */
    confirm: async (compared: readonly Pick<UnconfirmedEntry, 'id'>[]): Promise<void> => {
      const ids = new Set(compared.map(({ id }) => id));
      const asked = new Set(lasting().flatMap(([id]) => (ids.has(id) ? [id] : [])));
      await save([...asked].map((id) => ({ key: start + id + CONFIRMED, bytes: NOTHING })));
      all = new Map([...all].map(([id, one]) => [id, asked.has(id) ? { ...one, isConfirmed: true } : one]));
    },
  };
}

/**
 * Returns whether a key may have another question. Answered ones count, too: if they made room,
 * each check would find their events again, and ask again.
 */
function hasRoom(questions: ReadonlyMap<string, UnknownName>, of: SigningKey): boolean {
  let own = 0;
  for (const { key } of questions.values()) if (key === of) own += 1;
  return own < NAMES_MAX;
}

/**
 * Returns the unknown names in new events. Also walks below accepted ones: somebody whose removal
 * is withheld could build on the event that names it.
 * @param isNew returns whether an event arrived with this merge, or isn't here
 */
export async function unknownNamesIn(
  rules: EventRules,
  eventOf: (id: string) => Promise<LoggedEvent | undefined>,
  ids: Iterable<string>,
  isNew: (id: string) => boolean,
): Promise<readonly UnknownName[]> {
  const found: UnknownName[] = [];
  const seen = new Set<string>();
  const open = [...ids];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    const event = await eventOf(id);
    if (event === undefined) continue;
    const seat = await rules.unknownNamer(event);
    // An event from before the log may name an earlier log, which its founder withdrew.
    if (seat !== undefined && !(await rules.isBeforeLog(event)))
      found.push({ name: event.names as string, key: seat.key });
    for (const parent of event.parents) if (isNew(parent)) open.push(parent);
  }
  return found;
}

/** Returns the questions in rows. */
function questionsIn(start: string, rows: Rows): Questions['all'] {
  const found = new Map<string, Question>();
  for (const [row, bytes] of rows) {
    const [name = '', key] = row.startsWith(start) ? row.slice(start.length).split('/') : [];
    if (key === undefined || row.endsWith(CONFIRMED)) continue;
    const isConfirmed = rows.has(row + CONFIRMED);
    found.set(idOf({ name, key }), { name, key, since: Number(textOf(bytes)) || 0, isConfirmed });
  }
  return found;
}
