/**
 * Reports members whose events name entries of the log that aren't here, which an honest server
 * would have delivered before (docs/internals/membership-rules.md, E7). Until the user confirms the
 * list of members, this device approves nobody.
 *
 * The row `<prefix>log-unknown` lists each unknown name with the key that signed an event with it,
 * from the first sight on. So the server can't end a question with events that hide that one.
 */
import { FixpointError } from '@fixpoint/protocol';
import type { SigningKey } from '@fixpoint/protocol/storage';
import { asArray, asText, decode, encode } from '../../codec/dag-cbor.ts';
import type { EventRules, LoggedEvent } from '../../membership/events.ts';
import type { StoreChange } from '../../ports/byte-store.ts';

/** For how long a name may be unknown before the device reports it. */
const UNKNOWN_MS = 60_000;
/** Maximum number of names for each key. A member who signs more is asked about already. */
const NAMES_MAX = 100;
const CONFIRMED = 'confirmed';

export interface UnknownNamesParts {
  readonly prefix: string;
  readonly rows: ReadonlyMap<string, Uint8Array>;
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

/** The questions after a check. */
export interface Questions {
  readonly all: ReadonlyMap<string, UnknownName & { readonly isConfirmed: boolean }>;
  /** The name of the member of each question. */
  readonly members: ReadonlyMap<string, string>;
  readonly rows: readonly StoreChange[];
}

/** Returns a member who may write with this key; undefined if the name is known or nobody may. */
type MemberOf = (one: UnknownName) => string | undefined;

const idOf = ({ name, key }: UnknownName): string => `${name} ${key}`;

export function createUnknownNames({ prefix, rows, save, now, report, refresh }: UnknownNamesParts) {
  const row = `${prefix}log-unknown`;
  const reported = new Set<string>();
  let all: Questions['all'] = decodeQuestions(rows.get(row));
  let members: Questions['members'] = new Map();
  // A question from before the device was closed has had its minute.
  const since = new Map([...all.keys()].map((id) => [id, Number.NEGATIVE_INFINITY]));

  /** Returns the questions whose names stay unknown, with the names of their members. */
  const lasting = (): (readonly [string, string])[] =>
    [...members].filter(
      ([id]) => all.get(id)?.isConfirmed === false && now() - (since.get(id) ?? 0) >= UNKNOWN_MS,
    );

  return {
    /** Returns the questions after more events arrived, or the log changed. */
    next: (found: Iterable<UnknownName>, memberOf: MemberOf): Questions => {
      const next = new Map([...all].filter(([, one]) => memberOf(one) !== undefined));
      for (const one of found)
        if (!next.has(idOf(one)) && memberOf(one) !== undefined && hasRoom(next, one.key))
          next.set(idOf(one), { name: one.name, key: one.key, isConfirmed: false });
      const isSame = next.size === all.size && [...next.keys()].every((id) => all.has(id));
      const bytes = next.size === 0 ? undefined : encodeQuestions(next);
      return {
        all: next,
        members: new Map([...next].map(([id, one]) => [id, memberOf(one) as string])),
        rows: isSame ? [] : [{ key: row, bytes }],
      };
    },
    /** Continues with questions that are stored. */
    take: (next: Questions): void => {
      ({ all, members } = next);
      const isNew = [...all.keys()].filter((id) => !since.has(id));
      for (const id of [...since.keys()]) if (!all.has(id)) since.delete(id);
      for (const id of isNew) since.set(id, now());
      if (isNew.length > 0) refresh();
    },
    report: (): void => {
      for (const [id, member] of lasting()) {
        if (reported.has(member)) continue;
        reported.add(member);
        const { name } = all.get(id) as UnknownName;
        report(new FixpointError('LEDGER_FORKED', `unknown entry ${name} in an event of ${member}`));
      }
    },
    /** Returns the names of the members because of whom the user must confirm the list. */
    unconfirmed: (): readonly string[] => [...new Set(lasting().map(([, member]) => member))].sort(),
    /** Notes that the user compared the list of members. */
    confirm: async (): Promise<void> => {
      const asked = new Map(lasting());
      const next = new Map(
        [...all].map(([id, one]) => [id, asked.has(id) ? { ...one, isConfirmed: true } : one]),
      );
      await save([{ key: row, bytes: encodeQuestions(next) }]);
      all = next;
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

const encodeQuestions = (questions: Questions['all']): Uint8Array =>
  encode(
    [...questions.values()].map(({ name, key, isConfirmed }) => [name, key, isConfirmed ? CONFIRMED : '']),
  );

/** @throws FixpointError CORRUPT */
function decodeQuestions(bytes: Uint8Array | undefined): Questions['all'] {
  const list = bytes === undefined ? [] : asArray(decode(bytes)).map((one) => asArray(one).map(asText));
  return new Map(
    list.map(([name = '', key = '', state]) => [
      idOf({ name, key }),
      { name, key, isConfirmed: state === CONFIRMED },
    ]),
  );
}
