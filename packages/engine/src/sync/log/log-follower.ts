/**
 * Follows the membership log of a sealed ledger: learns its entries and data keys, and decides
 * whether this device may seal, and under which key. Nothing that the server reports about users
 * and rights counts (docs/internals/membership-rules.md).
 */
import { type ErrorCode, FixpointError } from '@fixpoint/protocol';
import {
  decodeEntry,
  type EntryId,
  encodeEntry,
  isEntryText,
  isLaterForm,
  rotationOf,
} from '@fixpoint/protocol/storage';
import { hex, utf8 } from '../../base/bytes.ts';
import { sha256 } from '../../codec/sha256.ts';
import type { LedgerKeys, LedgerLog } from '../../crypto/ledger-keys.ts';
import { type LogView, newChecks, viewOfLog } from '../ledger/log-view.ts';
import { createLogMemory, type LogMemory, type LogMemoryParts } from './log-memory.ts';
import { describeLog, type Followed, isForked, reasonOfUnknown, reasonToWait, seatOf } from './log-state.ts';

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
   * Learns the texts of a list. Returns whether a key is new, or became the current one.
   * @throws FixpointError NOT_IMPLEMENTED if this platform can't check signatures
   */
  learn(texts: readonly string[]): Promise<boolean>;
  /** Returns the log that this device follows; undefined if it knows none. */
  followed(): Followed | undefined;
  /** Returns why this device seals nothing now; undefined if it may. */
  waits(): ErrorCode | undefined;
  /** Describes the log; undefined if the list has none that this device takes. */
  describe(): LedgerLog | undefined;
  /**
   * Returns groups of texts to put again, each in one request: remembered entries that are missing
   * from the list, each with its rotation.
   */
  lost(listed: ReadonlySet<string>): readonly (readonly string[])[];
}

/** Opens the log with the entries that this device remembers. */
export async function openLogFollower(parts: FollowerParts): Promise<LogFollower> {
  const { ledger, keys, report } = parts;
  const memory = createLogMemory(parts);
  const checks = newChecks();
  const { pair } = keys;
  const texts = new Set<string>(memory.texts().values());
  let followed: Followed | undefined;
  let described: LedgerLog | undefined;
  let waits: ErrorCode | undefined = memory.waits() ? 'LEDGER_NOT_COMPARED' : undefined;
  let seen = '';
  let wasForked = false;

  const rotations = () => rotationsIn(keys, memory);
  const see = (start: EntryId): Promise<LogView> =>
    viewOfLog([...texts, ...rotations().values()], { ledger, start, pair, keys: keys.all(), checks });

  async function lookAround(): Promise<false> {
    const proven = await provenIn(texts, see);
    const reason = reasonOfUnknown(proven);
    if (reason !== undefined) await memory.mustWait();
    // A server that hides the log again doesn't change this.
    waits = reason ?? (memory.waits() ? 'LEDGER_NOT_COMPARED' : undefined);
    const [only, ...more] = proven;
    const fork = more.length > 0;
    described = only && describeLog(only[0], only[1], { isCompared: false, isForked: fork, waits });
    noteFork(fork);
    return false;
  }

  async function follow(start: EntryId): Promise<boolean> {
    const view = await see(start);
    const { past } = view.membership;
    const fieldsOf = (id: EntryId) => view.read.fieldsOf.get(id) ?? {};
    const named = view.key && past.entryOf(view.key.entry);
    const hash = named && rotationOf(named)?.record;
    await memory.remember(
      past.entries.map(({ id }) => [id, encodeEntry(fieldsOf(id))] as const),
      hash === undefined ? undefined : rotations().get(hash),
    );
    const current = view.key && view.keys.get(view.key.key);
    const isNews = await keys.takeLogKeys([...view.keys.values()], current);
    const seat = seatOf(view, hex(pair.publicKey));
    followed = { view, seat, current };
    waits = reasonToWait(followed);
    const fork = isForked(view, view.read.entries);
    described = describeLog(start, view, { isCompared: true, isForked: fork, waits });
    noteFork(fork);
    return isNews;
  }

  const noteFork = (isFork: boolean): void => {
    if (isFork && !wasForked) report(new FixpointError('LEDGER_FORKED', 'membership log'));
    wasForked ||= isFork;
  };

  const update = async (): Promise<boolean> => {
    const log = keys.log();
    const now = [texts.size, keys.rotations().length, keys.all().size, log && hex(log)].join();
    if (now === seen) return false;
    const isNews = await (log === undefined ? lookAround() : follow(hex(log)));
    // Only now, so that a failed update is repeated.
    seen = now;
    return isNews;
  };

  await update();
  return {
    learn: async (given) => {
      for (const text of given) if (isEntryText(text) || isLaterForm(text)) texts.add(text);
      let isNews = await update();
      // Keys that the log contains may open further records.
      while (await update()) isNews = true;
      return isNews;
    },
    followed: () => followed,
    waits: () => waits,
    describe: () => described,
    lost: (listed) => lostGroups(followed, memory.texts(), rotations(), listed),
  };
}

/** Returns the views of all logs whose authors knew a data key of this device. */
async function provenIn(
  texts: Iterable<string>,
  see: (start: EntryId) => Promise<LogView>,
): Promise<ReadonlyMap<EntryId, LogView>> {
  const found = new Map<EntryId, LogView>();
  for (const start of startsIn(texts).slice(0, STARTS_MAX)) {
    const view = await see(start);
    if (view.isStartProven === true) found.set(start, view);
  }
  return found;
}

/** Returns the texts of all known rotations by their hashes. */
function rotationsIn(keys: LedgerKeys, memory: LogMemory): ReadonlyMap<string, string> {
  const known = memory.rotation();
  const all = known === undefined ? keys.rotations() : [...keys.rotations(), known];
  return new Map(all.map((text) => [hex(sha256(utf8(text))), text]));
}

/** Returns the ids of the entries that start a log. */
function startsIn(texts: Iterable<string>): EntryId[] {
  return [...texts].flatMap((text) => {
    try {
      const { entry } = decodeEntry(text, sha256);
      return entry.kind === 'start' ? [entry.id] : [];
    } catch {
      // `viewOfLog` reports invalid entries.
      return [];
    }
  });
}

function lostGroups(
  followed: Followed | undefined,
  texts: ReadonlyMap<EntryId, string>,
  rotations: ReadonlyMap<string, string>,
  listed: ReadonlySet<string>,
): readonly (readonly string[])[] {
  if (followed === undefined) return [];
  const { past } = followed.view.membership;
  return past.entries.flatMap((entry) => {
    const text = texts.get(entry.id);
    const hash = rotationOf(entry)?.record;
    const record = hash === undefined ? undefined : rotations.get(hash);
    const isLost = (one: string | undefined): one is string => one !== undefined && !listed.has(one);
    if (text === undefined || !(isLost(text) || isLost(record))) return [];
    return [[text, ...(isLost(record) ? [record] : [])]];
  });
}
