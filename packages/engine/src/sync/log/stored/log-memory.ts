/**
 * Remembers the entries of the membership log that a device follows, so that no server can take a
 * removal back (docs/internals/membership-rules.md, L1). Rows, sealed with the database's key:
 *
 * - `<prefix>entry/<hex id>`: the text of an entry
 * - `<prefix>code/<hex id>/<hash>`: the text of a grant to a recovery code of a member
 * - `<prefix>log-checked/<version>/<hash>`: the entries and records of one update that passed all
 *   checks of this version, so that opening the ledger doesn't repeat them
 * - `<prefix>log-rotation`: the record that contains the current data key
 * - `<prefix>log-wait`: ids of logs whose ids this device didn't learn from a device that it
 *   trusts, and that make its writes wait (L3)
 * - `<prefix>log-dismissed`: ids of logs that aren't the ledger's, as the user said
 */
import { FixpointError } from '@fixpoint/protocol';
import { type EntryId, LOG_CHECKS_VERSION } from '@fixpoint/protocol/storage';
import { concatBytes, hex, textOf, utf8 } from '../../../base/bytes.ts';
import { asArray, decode, encode } from '../../../codec/dag-cbor.ts';
import { sha256 } from '../../../codec/sha256.ts';
import type { StoreChange } from '../../../ports/byte-store.ts';

/** Maximum number of characters that a device remembers. An honest server accepts no longer log. */
const CHARS_MAX = 16_000_000;
/**
 * Maximum number of grants that a device remembers for each recovery code. The first one is usually
 * the right one, and a member may add others.
 */
const GRANTS_MAX = 4;

type Rows = ReadonlyMap<string, Uint8Array>;

export interface LogMemoryParts {
  /** See `ledgerBytes`. */
  readonly ledger: Uint8Array;
  readonly prefix: string;
  readonly rows: Rows;
  readonly save: (rows: readonly StoreChange[]) => Promise<void>;
}

/** New parts of the log, which become durable in one step. */
interface Learned {
  /** The texts of entries, by id. Entries never change, so known ones are skipped. */
  readonly entries: Iterable<readonly [EntryId, string]>;
  /** The record with the current data key; undefined if `start` contains it. */
  readonly rotation: string | undefined;
  /** Grants to recovery codes, each with the sealing key of the code. */
  readonly grants: Iterable<readonly [seal: string, text: string]>;
  /** The names of all entries and records that passed the checks (`LogView`). */
  readonly checked: Iterable<string>;
}

export interface LogMemory {
  /** Returns the texts of the remembered entries by their ids. */
  texts(): ReadonlyMap<EntryId, string>;
  /**
   * The names of entries and records that passed the checks of this version. Grows as this device
   * remembers more.
   */
  readonly checked: ReadonlySet<string>;
  /**
   * Returns whether another tab stored what passed the checks there, and is unknown here.
   * @param reread reads the rows with a prefix
   */
  isBehind(reread: (prefix: string) => Promise<Rows>): Promise<boolean>;
  /** Returns the record with the current data key; undefined if `start` contains it. */
  rotation(): string | undefined;
  /** Returns the remembered grants to the recovery code with this sealing key. */
  grantsTo(seal: string): readonly string[];
  /**
   * Makes what is new durable.
   * @throws FixpointError LIMIT_REACHED if the entries are longer than a device remembers. Without
   * all of them, the device could lose a removal
   */
  remember(learned: Learned): Promise<void>;
  /** Learns the rows that another tab stored. */
  reload(rows: Rows): void;
  /** Returns the ids of the logs that make this device wait. */
  waits(): ReadonlySet<EntryId>;
  /** Sets the logs that make this device wait. */
  setWaits(logs: Iterable<EntryId>): Promise<void>;
  /** Returns the ids of the logs that the user dismissed. */
  dismissed(): ReadonlySet<EntryId>;
  /** Ignores a log from now on, and no longer waits because of it. */
  dismiss(log: EntryId): Promise<void>;
}

export function createLogMemory({ ledger, prefix, rows, save }: LogMemoryParts): LogMemory {
  const texts = new Map<EntryId, string>();
  const grants = new Map<string, string[]>();
  let chars = 0;
  let rotation: string | undefined;
  const [entry, code] = [`${prefix}entry/`, `${prefix}code/`];
  const checked = checkedNames(ledger, `${prefix}log-checked/`);

  function take(id: EntryId, text: string): void {
    if (texts.has(id)) return;
    texts.set(id, text);
    chars += text.length;
  }
  function takeGrant(seal: string, text: string): void {
    const known = grants.get(seal) ?? [];
    if (!known.includes(text)) grants.set(seal, [...known, text]);
  }
  /** Returns the new grants for which there is room. */
  function newGrants(given: Learned['grants']): (readonly [seal: string, text: string])[] {
    const found: (readonly [string, string])[] = [];
    for (const one of given) {
      const [seal, text] = one;
      const more = found.flatMap(([of, other]) => (of === seal ? [other] : []));
      const known = [...(grants.get(seal) ?? []), ...more];
      if (known.length < GRANTS_MAX && !known.includes(text)) found.push(one);
    }
    return found;
  }
  function reload(stored: Rows): void {
    for (const [row, bytes] of stored) {
      if (row.startsWith(entry)) take(row.slice(entry.length), textOf(bytes));
      else if (row.startsWith(code)) takeGrant(row.slice(code.length).split('/')[0] as string, textOf(bytes));
    }
    const record = stored.get(`${prefix}log-rotation`);
    rotation = record && textOf(record);
    for (const names of [waits, dismissed, checked]) names.reload(stored);
  }
  const waits = idSet(`${prefix}log-wait`, save);
  const dismissed = idSet(`${prefix}log-dismissed`, save);
  reload(rows);

  return {
    texts: () => texts,
    checked: checked.names,
    isBehind: async (reread) => checked.isBehind(await reread(checked.own)),
    rotation: () => rotation,
    grantsTo: (seal) => grants.get(seal) ?? [],
    remember: async (learned) => {
      const [fresh, codes] = [newEntries(learned.entries, texts, chars), newGrants(learned.grants)];
      const record = learned.rotation === rotation ? undefined : learned.rotation;
      const news = [...learned.checked].filter((name) => !checked.names.has(name));
      const changes = [
        ...fresh.map(([id, text]) => ({ key: entry + id, bytes: utf8(text) })),
        ...codes.map(([seal, text]) => ({
          key: `${code}${seal}/${hex(sha256(utf8(text)))}`,
          bytes: utf8(text),
        })),
        ...(record === undefined ? [] : [{ key: `${prefix}log-rotation`, bytes: utf8(record) }]),
        ...checked.changesFor(news),
      ];
      if (changes.length > 0) await save(changes);
      rotation = record ?? rotation;
      for (const [id, text] of fresh) take(id, text);
      for (const [seal, text] of codes) takeGrant(seal, text);
      checked.take(news);
    },
    reload,
    waits: waits.get,
    setWaits: waits.set,
    dismissed: dismissed.get,
    dismiss: async (log) => {
      await dismissed.set([...dismissed.get(), log]);
      await waits.set([...waits.get()].filter((one) => one !== log));
    },
  };
}

/** Returns the entries that aren't known. @throws FixpointError LIMIT_REACHED */
function newEntries(
  given: Learned['entries'],
  texts: ReadonlyMap<EntryId, string>,
  chars: number,
): (readonly [EntryId, string])[] {
  let sum = chars;
  return [...given].filter(([id, text]) => {
    if (texts.has(id)) return false;
    sum += text.length;
    if (sum > CHARS_MAX) throw new FixpointError('LIMIT_REACHED', `${CHARS_MAX} characters of a log`);
    return true;
  });
}

/** A row that contains a set of ids. `reload` throws FixpointError CORRUPT if it is damaged. */
function idSet(key: string, save: LogMemoryParts['save']) {
  let ids: ReadonlySet<EntryId> = new Set();
  return {
    get: () => ids,
    reload: (rows: Rows): void => {
      const stored = rows.get(key);
      ids = new Set(stored === undefined ? [] : asArray(decode(stored)).map(String));
    },
    set: async (given: Iterable<EntryId>): Promise<void> => {
      const next = [...new Set(given)].sort();
      if (next.length === ids.size && next.every((id) => ids.has(id))) return;
      await save([{ key, bytes: next.length === 0 ? undefined : encode(next) }]);
      ids = new Set(next);
    },
  };
}

/**
 * The names of what passed the checks, in one row for each update. A row's name is a hash of its
 * content and the ledger, so a damaged row, or one of another ledger, has no effect.
 * @param prefix of the rows of all versions
 */
function checkedNames(ledger: Uint8Array, prefix: string) {
  const names = new Set<string>();
  const rowOf = (bytes: Uint8Array) => `${own}${hex(sha256(concatBytes([ledger, bytes])))}`;
  const own = `${prefix}${LOG_CHECKS_VERSION}/`;
  /** Rows that contain only known names. */
  const seen = new Set<string>();
  /** The rows of other versions, which this one doesn't need. */
  let others: string[] = [];
  const add = (news: Iterable<string>): void => {
    for (const name of news) names.add(name);
  };
  return {
    names,
    own,
    isBehind: (rows: Rows): boolean => {
      for (const [row, bytes] of rows) {
        if (seen.has(row)) continue;
        if (row === rowOf(bytes) && asArray(decode(bytes)).some((name) => !names.has(String(name))))
          return true;
        seen.add(row);
      }
      return false;
    },
    take: (news: readonly string[]): void => {
      if (news.length === 0) return;
      add(news);
      others = [];
    },
    reload: (rows: Rows): void => {
      const own = [...rows].filter(([row]) => row.startsWith(prefix));
      for (const [row, bytes] of own) if (row === rowOf(bytes)) add(asArray(decode(bytes)).map(String));
      others = own.flatMap(([row]) => (row.startsWith(`${prefix}${LOG_CHECKS_VERSION}/`) ? [] : [row]));
    },
    changesFor: (news: readonly string[]): StoreChange[] => {
      if (news.length === 0) return [];
      const bytes = encode([...news]);
      return [{ key: rowOf(bytes), bytes }, ...others.map((key) => ({ key, bytes: undefined }))];
    },
  };
}
