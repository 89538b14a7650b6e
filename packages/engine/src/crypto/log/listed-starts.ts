/**
 * Finds the first entries of membership logs in the list of a sealed ledger. A device takes the id
 * of a log only if the list has this entry, and if the entry proves a data key of the device
 * (docs/internals/membership-rules.md, L2). Otherwise a grant could lead it into a log that doesn't
 * exist, and no later grant could lead it out again.
 */
import {
  decodeEntry,
  type EntryId,
  isSignedBy,
  type KeyRecord,
  mayLead,
  readLog,
  rotationOf,
} from '@fixpoint/protocol/storage';
import { hex } from '../../base/bytes.ts';
import { sha256 } from '../../codec/sha256.ts';
import { openKeys } from '../key-chain.ts';
import type { LedgerKey } from '../sealed-object.ts';
import { isProvenStart } from './start-entry.ts';

/** The texts of `start` entries by the ids of their logs. */
export type Starts = ReadonlyMap<EntryId, string>;

export interface ListedEntries {
  readonly starts: Starts;
  /** The hashes of the records that entries contain. */
  readonly records: ReadonlySet<string>;
}

/** Facts from entries by their texts: a list repeats most of the last one. */
export type SeenEntries = Map<string, Shown>;

interface Shown {
  readonly start?: EntryId;
  readonly record?: string | undefined;
}

/** Reads the entries in a list. Doesn't check their signatures. */
export function entriesIn(texts: Iterable<string>, seen: SeenEntries = new Map()): ListedEntries {
  const starts = new Map<EntryId, string>();
  const records = new Set<string>();
  for (const text of texts) {
    if (!mayLead(text)) continue;
    const shown = seen.get(text) ?? shownBy(text);
    seen.set(text, shown);
    const { start, record } = shown;
    if (start !== undefined) starts.set(start, text);
    if (record !== undefined) records.add(record);
  }
  return { starts, records };
}

function shownBy(text: string): Shown {
  try {
    const { entry } = decodeEntry(text, sha256);
    return { ...(entry.kind === 'start' && { start: entry.id }), record: rotationOf(entry)?.record };
  } catch {
    // An invalid entry starts no log.
    return {};
  }
}

/** Returns the entries in a list that start a log. Doesn't check their signatures. */
export const startsIn = (texts: Iterable<string>): Starts => entriesIn(texts).starts;

export interface StartChecks {
  /** Identifies the ledger. */
  readonly ledger: Uint8Array;
  readonly starts: Starts;
  readonly records: ReadonlyMap<string, KeyRecord>;
  /** The data keys of this device. */
  readonly keys: ReadonlyMap<string, LedgerKey>;
}

/**
 * Returns whether the list has a valid entry that starts this log, and whose author knew a data key
 * of this device.
 * @param opened further data keys, from the grant that contains the id of the log
 * @throws FixpointError NOT_IMPLEMENTED if this platform can't check signatures
 */
export async function isListedLog(
  { ledger, starts, records, keys }: StartChecks,
  log: Uint8Array,
  opened: readonly LedgerKey[] = [],
): Promise<boolean> {
  const text = starts.get(hex(log));
  if (text === undefined) return false;
  const { readOf } = await readLog([text], { ledger, hash: sha256, verify: isSignedBy });
  const fields = readOf.get(hex(log))?.fields;
  if (fields === undefined) return false;
  const known = new Map([...keys, ...opened.map((key) => [key.name, key] as const)]);
  return (await isProvenStart(ledger, fields, await withEarlier(ledger, known, records.values()))) === true;
}

/** Returns keys, and the earlier ones that records lead to from them. */
export async function withEarlier(
  ledger: Uint8Array,
  keys: ReadonlyMap<string, LedgerKey>,
  records: Iterable<KeyRecord>,
): Promise<ReadonlyMap<string, LedgerKey>> {
  const found = new Map(keys);
  let waiting = [...records].flatMap((record) => {
    if (record.t !== 'rotate' && record.t !== 'chain') return [];
    const box = record.t === 'chain' ? record.box : record.back;
    return box === undefined ? [] : [{ name: hex(record.key), box }];
  });
  for (let before = -1; before !== waiting.length; ) {
    before = waiting.length;
    const closed: typeof waiting = [];
    for (const one of waiting) {
      const key = found.get(one.name);
      if (key === undefined) closed.push(one);
      else for (const earlier of await openKeys(ledger, key, one.box)) found.set(earlier.name, earlier);
    }
    waiting = closed;
  }
  return found;
}
