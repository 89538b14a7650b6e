/**
 * Follows the membership log of a sealed ledger: learns its entries and data keys, and decides
 * whether this device may seal, and under which key. Nothing that the server reports about users
 * and rights counts (docs/internals/membership-rules.md).
 */
import { type ErrorCode, FixpointError } from '@fixpoint/protocol';
import {
  type EntryId,
  encodeEntry,
  isEntryText,
  isLaterForm,
  parseKeyRecord,
  rotationOf,
} from '@fixpoint/protocol/storage';
import { hex, utf8 } from '../../base/bytes.ts';
import type { KeyPair } from '../../base/p256.ts';
import { sha256 } from '../../codec/sha256.ts';
import { isProven } from '../../crypto/grant.ts';
import type { LedgerFork, LedgerKeys, LedgerLog } from '../../crypto/ledger-keys.ts';
import { startsIn } from '../../crypto/log/listed-starts.ts';
import { type LogView, newChecks, viewOfLog } from '../ledger/log-view.ts';
import { createLogMemory, type LogMemory, type LogMemoryParts } from './log-memory.ts';
import {
  describeLog,
  type Followed,
  forkOfLogs,
  forksIn,
  reasonOfUnknown,
  reasonToWait,
  seatOf,
} from './log-state.ts';

/** Maximum number of logs in a list that a device which knows none of them looks at. */
const STARTS_MAX = 4;

export interface FollowerParts extends LogMemoryParts {
  /** See `ledgerBytes`. */
  readonly ledger: Uint8Array;
  readonly keys: LedgerKeys;
  readonly report: (error: unknown) => void;
}

export interface LogFollower {
  /**
   * Learns texts. Returns whether a key is new, or became the current one.
   * @param list whether these are all texts that the server lists now
   * @throws FixpointError NOT_IMPLEMENTED if this platform can't check signatures
   */
  learn(texts: readonly string[], list?: 'whole'): Promise<boolean>;
  /** Learns what another tab stored. */
  reload(rows: ReadonlyMap<string, Uint8Array>): void;
  /** Opens rotations with the pair of a recovery code, too, until the database is closed. */
  useCode(code: KeyPair): Promise<void>;
  /** Returns the log that this device follows; undefined if it knows none. */
  followed(): Followed | undefined;
  /** Returns whether the newest list starts a log, which may be that of anybody. */
  isStarted(): boolean;
  /** Returns whether this device saw a log whose id it doesn't know from a device that it trusts. */
  isUncompared(): boolean;
  /** Returns why this device seals nothing now; undefined if it may. */
  waits(): ErrorCode | undefined;
  /** Describes the log; undefined if the list has none that this device takes. */
  describe(): LedgerLog | undefined;
  /** Ignores a log that isn't the ledger's, as the user says. */
  dismiss(log: EntryId): Promise<void>;
  /**
   * Returns groups of texts to put again, each in one request: remembered entries that are missing
   * from the list, each with its rotation, and grants to the recovery codes of members.
   */
  lost(listed: ReadonlySet<string>): readonly (readonly string[])[];
}

/** Opens the log with the entries that this device remembers. `learn` must be called next. */
export function openLogFollower(parts: FollowerParts): LogFollower {
  const { ledger, keys, report } = parts;
  const memory = createLogMemory(parts);
  const checks = newChecks();
  const { pair } = keys;
  /** All entries that this device ever saw, and those in the newest list. */
  const texts = new Set<string>(memory.texts().values());
  let listed: ReadonlySet<string> = new Set();
  const grants = new Set<string>();
  let code: KeyPair | undefined;
  let followed: Followed | undefined;
  let described: LedgerLog | undefined;
  let waits: ErrorCode | undefined;
  let seen = '';
  const reported = new Set<string>();

  const rotations = () => rotationsIn(keys, memory);
  const see = (start: EntryId, entries: Iterable<string>): Promise<LogView> =>
    viewOfLog([...entries, ...rotations().values()], { ledger, start, pair, code, keys: keys.all(), checks });

  async function lookAround(): Promise<false> {
    followed = undefined;
    const proven = await provenIn(listed, memory.dismissed(), keys.keyring().current, (start) =>
      see(start, listed),
    );
    const reason = reasonOfUnknown(proven);
    // First in memory, so that the device also waits if storing fails. An honest server never hides
    // a log with a rotation again, so the wait stays if this one does.
    const rotated = [...proven].flatMap(([id, { isRotated }]) => (isRotated ? [id] : []));
    waits = reason ?? (memory.waits().size + rotated.length > 0 ? 'LEDGER_NOT_COMPARED' : undefined);
    const [only, ...more] = proven;
    const forks = only === undefined ? [] : more.map(([id]) => forkOfLogs(only[0], id));
    described = only && describeLog(...only, ledger, { isCompared: false, forks, waits });
    note(forks);
    await memory.setWaits([...memory.waits(), ...rotated]);
    return false;
  }

  async function follow(start: EntryId): Promise<boolean> {
    const view = await see(start, texts);
    const { past, seats, isCurrent } = view.membership;
    const fieldsOf = (id: EntryId) => view.read.fieldsOf.get(id) ?? {};
    const named = view.key && past.entryOf(view.key.entry);
    const hash = named && rotationOf(named)?.record;
    const codes = new Set(
      seats.all.flatMap((one) => (one.kind === 'code' && isCurrent(one) ? [one.seal] : [])),
    );
    await memory.remember({
      entries: past.entries.map(({ id }) => [id, encodeEntry(fieldsOf(id))] as const),
      rotation: hash === undefined ? undefined : rotations().get(hash),
      grants: await grantsTo(codes, grants, { ledger, keys: view.keys }),
    });
    await memory.setWaits([]);
    const current = view.key && view.keys.get(view.key.key);
    const isNews = await keys.takeLogKeys([...view.keys.values()], current);
    const seat = seatOf(view, hex(pair.publicKey));
    followed = { view, seat, current };
    waits = reasonToWait(followed);
    const forks = forksIn(view);
    described = describeLog(start, view, ledger, { isCompared: true, forks, waits });
    note(forks);
    return isNews;
  }

  /** Reports with both sides that there are two logs, and once for each person, copies of a device. */
  const note = (forks: readonly LedgerFork[]): void => {
    for (const { kind, sides, signer } of forks) {
      const both = sides.join(' and ');
      const name = kind === 'copies' && signer !== undefined ? signer : both;
      if (!reported.has(name))
        report(new FixpointError('LEDGER_FORKED', `${kind}${signer ? ` of ${signer}` : ''}: ${both}`));
      reported.add(name);
    }
  };

  const update = async (): Promise<boolean> => {
    const log = keys.log();
    const known = [texts.size, keys.rotations().length, keys.all().size, grants.size, code !== undefined];
    const shown =
      log === undefined ? [keys.keyring().current, listed.size, ...startsIn(listed).keys()] : [hex(log)];
    const now = [...known, ...shown].join();
    if (now === seen) return false;
    const isNews = await (log === undefined ? lookAround() : follow(hex(log)));
    // Only now, so that a failed update is repeated.
    seen = now;
    return isNews;
  };
  const updateAll = async (): Promise<boolean> => {
    let isNews = await update();
    // Keys that the log contains may open further records.
    while (await update()) isNews = true;
    return isNews;
  };

  return {
    learn: async (given, list) => {
      const entries = given.filter((text) => isEntryText(text) || isLaterForm(text));
      for (const text of entries) texts.add(text);
      for (const text of given) if (isCodeGrant(text)) grants.add(text);
      listed = new Set(list === 'whole' ? entries : [...listed, ...entries]);
      return updateAll();
    },
    reload: (rows) => {
      memory.reload(rows);
      for (const text of memory.texts().values()) texts.add(text);
    },
    useCode: async (used) => {
      code = used;
      await updateAll();
    },
    followed: () => followed,
    isStarted: () => startsIn(listed).size > 0,
    isUncompared: () => followed === undefined && (described !== undefined || memory.waits().size > 0),
    waits: () => waits,
    describe: () => described,
    dismiss: async (log) => {
      await memory.dismiss(log);
      seen = '';
      await updateAll();
    },
    lost: (now) => (followed === undefined ? [] : lostGroups(followed, memory, rotations(), now)),
  };
}

/**
 * Returns the views of the logs whose authors knew the current data key of this device. A removed
 * member, who has only earlier keys, can't make a device wait.
 */
async function provenIn(
  texts: Iterable<string>,
  dismissed: ReadonlySet<EntryId>,
  current: string | undefined,
  see: (start: EntryId) => Promise<LogView>,
): Promise<ReadonlyMap<EntryId, LogView>> {
  const found = new Map<EntryId, LogView>();
  if (current === undefined) return found;
  const starts = [...startsIn(texts).keys()].filter((start) => !dismissed.has(start));
  for (const start of starts.slice(0, STARTS_MAX)) {
    const view = await see(start);
    if (view.provenKeys.has(current)) found.set(start, view);
  }
  return found;
}

const isCodeGrant = (text: string): boolean => {
  const record = parseKeyRecord(text);
  return record?.t === 'grant' && record.locked !== undefined;
};

/** Returns the proven grants to these recovery codes. */
async function grantsTo(
  codes: ReadonlySet<string>,
  texts: Iterable<string>,
  { ledger, keys }: { readonly ledger: Uint8Array; readonly keys: LogView['keys'] },
): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for (const text of texts) {
    const record = parseKeyRecord(text);
    if (record?.t !== 'grant' || !codes.has(hex(record.pub))) continue;
    const key = keys.get(hex(record.key));
    if (key !== undefined && (await isProven(ledger, record, key))) found.push([hex(record.pub), text]);
  }
  return found;
}

/** Returns the texts of all known rotations by their hashes. */
function rotationsIn(keys: LedgerKeys, memory: LogMemory): ReadonlyMap<string, string> {
  const known = memory.rotation();
  const all = known === undefined ? keys.rotations() : [...keys.rotations(), known];
  return new Map(all.map((text) => [hex(sha256(utf8(text))), text]));
}

function lostGroups(
  { view: { membership }, seat: own }: Followed,
  memory: LogMemory,
  rotations: ReadonlyMap<string, string>,
  listed: ReadonlySet<string>,
): readonly (readonly string[])[] {
  const { past, seats, isCurrent } = membership;
  const texts = memory.texts();
  const entries = past.entries.flatMap((entry) => {
    const text = texts.get(entry.id);
    const hash = rotationOf(entry)?.record;
    const record = hash === undefined ? undefined : rotations.get(hash);
    const isLost = (one: string | undefined): one is string => one !== undefined && !listed.has(one);
    if (text === undefined || !(isLost(text) || isLost(record))) return [];
    return [[text, ...(isLost(record) ? [record] : [])]];
  });
  const codes = seats.all.filter(
    (seat) => own !== undefined && seat.kind === 'code' && isCurrent(seat),
  );
  const grants = codes.flatMap(({ seal }) => memory.grantsTo(seal)).filter((text) => !listed.has(text));
  return [...entries, ...grants.map((text) => [text])];
}
