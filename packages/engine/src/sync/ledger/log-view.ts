/**
 * Computes from the list `keys` of a sealed ledger with a membership log who may do what, and which
 * data key is the current one. Nothing that the server reports about users and rights is used.
 */

import {
  bytesOfHex,
  decodeEntry,
  type EntryId,
  type FormRule,
  type GrantRecord,
  type LogEntry,
  parseKeyRecord,
  type ReadEntry,
  type ReadLog,
  type RotateRecord,
  readLog,
  rotationOf,
} from '@fixpoint/protocol/storage';
import { equalBytes, hex, utf8 } from '../../base/bytes.ts';
import type { KeyPair } from '../../base/p256.ts';
import { isSignedBy } from '../../base/signatures.ts';
import { sha256 } from '../../codec/sha256.ts';
import { isProven, openGrant, SEAT_SECRET } from '../../crypto/grant.ts';
import { openKeys } from '../../crypto/key-chain.ts';
import { withEarlier } from '../../crypto/log/listed-starts.ts';
import { isProvenStart } from '../../crypto/log/start-entry.ts';
import { isSealedForAll, openRotation } from '../../crypto/rotation-record.ts';
import type { LedgerKey } from '../../crypto/sealed-object.ts';
import { evaluate, type Membership } from '../../membership/evaluate.ts';
import { type KeyState, keyStateOf } from '../../membership/keys.ts';

export interface LogViewParts {
  /** See `ledgerBytes`. */
  readonly ledger: Uint8Array;
  /** The id of the log. */
  readonly start: EntryId;
  /** The pair of this device that receives data keys. */
  readonly pair: KeyPair;
  /** The pair of a recovery code that this device uses. */
  readonly code?: KeyPair | undefined;
  /** The data keys of this device by their names. */
  readonly keys: ReadonlyMap<string, LedgerKey>;
  /** Grants to seats (D4), by the ids of their keys. Others have no effect. */
  readonly grants?: ReadonlyMap<string, readonly GrantRecord[]> | undefined;
  /** Results of earlier calls for the same ledger, pair and log. */
  readonly checks?: LogChecks;
}

/** Results of checks that take long and never change. */
export interface LogChecks {
  /** The entries that this process decoded, by their texts. */
  readonly decoded: Map<string, ReadEntry>;
  /** Returns whether an entry, or the record of an entry, passed all checks, if that is known. */
  resultOf(name: EntryId | RecordName): boolean | undefined;
  note(name: EntryId | RecordName, hasPassed: boolean): void;
  /** The last evaluation. The same entries have the same result. */
  last?: { readonly entries: readonly LogEntry[]; readonly start: EntryId; readonly membership: Membership };
}

/** The name of a record whose recipients are those that the log had at its entry. */
const recipientsName = (entry: EntryId, hash: string): RecordName => `${entry} ${hash} recipients`;

/**
 * The name of a record that contains its key for all recipients: the id of the entry that contains
 * its hash, then this hash. Both are hex, and together determine the result of the check.
 */
type RecordName = `${EntryId} ${string}`;

/**
 * Returns the results of no check.
 * @param passed the names that passed when this device was open before
 */
export function newChecks(passed: ReadonlySet<string> = new Set()): LogChecks {
  const results = new Map<string, boolean>();
  return {
    decoded: new Map(),
    resultOf: (name) => passed.has(name) || results.get(name),
    note: (name, hasPassed) => void results.set(name, hasPassed),
  };
}

export interface LogView {
  readonly membership: Membership;
  /** All valid entries in the list, also those of other logs, with their fields. */
  readonly read: Pick<ReadLog, 'entries' | 'readOf' | 'textOf'>;
  /** The entries that a new entry or event follows: those of `membership`. */
  readonly heads: readonly EntryId[];
  /** The names of present entries, and what is new of records of entries that count. */
  readonly checked: readonly string[];
  /** The data keys of this device, and those that the list contains for it. */
  readonly keys: ReadonlyMap<string, LedgerKey>;
  /** Undefined if the log isn't here. */
  readonly key: KeyState | undefined;
  /**
   * Whether the author of `start` knew its data key. Undefined if this device doesn't have that
   * key.
   */
  readonly isStartProven: boolean | undefined;
  /**
   * The data keys that authors of this log knew: that of `start` if it is proven, and those of
   * rotations whose boxes are all right. Only a device that has such a key can tell.
   */
  readonly provenKeys: ReadonlySet<string>;
  /**
   * Whether an entry that counts has a record that is right, as far as this device can check it.
   * Its other recipients then no longer seal under the previous key.
   */
  readonly isRotated: boolean;
  /** The texts that look like entries and aren't valid. */
  readonly invalid: ReadonlyMap<string, FormRule>;
  /** Rotations that no entry contains. Devices don't follow them (D6). */
  readonly strayRotations: readonly string[];
  /** Whether the list contains a form that only later versions know. Writes then wait (F14). */
  readonly needsUpdate: boolean;
}

/**
 * Reads the list.
 * @throws FixpointError NOT_IMPLEMENTED if this platform can't check signatures
 */
export async function viewOfLog(texts: Iterable<string>, parts: LogViewParts): Promise<LogView> {
  const { ledger, start, checks = newChecks() } = parts;
  const list = [...texts];
  const { entries, readOf, textOf, invalid, needsUpdate } = await readLog(list, {
    ledger,
    hash: sha256,
    verify: isSignedBy,
    known: { isChecked: (id) => checks.resultOf(id) === true, decoded: checks.decoded },
  });
  for (const { id } of entries) checks.note(id, true);
  const membership = evaluatedBy(checks, entries, start);
  const records = rotationsIn(list);
  const { keys, usable, isRotated } = await openAll(parts, membership, records, checks);
  const right: RecordName[] = [];
  const recordOf = (hash: string, entry: EntryId) => {
    const record = records.get(hash);
    if (record === undefined) return undefined;
    return {
      key: hex(record.key),
      recipients: record.pubs.map(hex),
      isUsable: usable.has(`${entry} ${hash}`),
    };
  };
  const key = keyStateOf(membership, start, recordOf, {
    isRight: (entry, hash) => checks.resultOf(recipientsName(entry, hash)) === true,
    noteRight: (entry, hash) => {
      checks.note(recipientsName(entry, hash), true);
      right.push(recipientsName(entry, hash));
    },
  });
  const named = new Set(entries.flatMap((entry) => rotationOf(entry)?.record ?? []));
  const strayRotations = [...records.keys()].filter((hash) => !named.has(hash));
  const fields = readOf.get(start)?.fields;
  // Keys that a log gives to this device don't prove the log: anybody can seal a key for it.
  const own = await withEarlier(ledger, parts.keys, records.values());
  const isStartProven = fields && (await isProvenStart(ledger, fields, own));
  const provenKeys = new Set(usable.values());
  if (isStartProven === true) provenKeys.add(hex(fields?.['key'] as Uint8Array));
  const read = { entries, readOf, textOf };
  const checked = [...membership.past.entries.map(({ id }) => id), ...usable.keys(), ...right];
  const proofs = { isStartProven, provenKeys, isRotated };
  const { heads } = membership;
  return { membership, heads, read, checked, keys, key, ...proofs, invalid, strayRotations, needsUpdate };
}

/**
 * Returns the view of entries that passed all checks before. Evaluates them only when something
 * asks for more than was concluded from them.
 * @param texts the present entries of the log
 */
export function rememberedView(
  texts: Iterable<string>,
  { start, keys, checks = newChecks() }: LogViewParts,
  known: Pick<LogView, 'key' | 'heads'>,
): LogView {
  let read: LogView['read'] | undefined;
  const readAll = (): LogView['read'] => {
    if (read !== undefined) return read;
    const [entries, readOf, textOf] = [[] as LogEntry[], new Map(), new Map()];
    for (const text of texts) {
      const one = checks.decoded.get(text) ?? decodeEntry(text, sha256, (id) => checks.resultOf(id) === true);
      checks.decoded.set(text, one);
      entries.push(one.entry);
      readOf.set(one.entry.id, one);
      textOf.set(one.entry.id, text);
    }
    read = { entries, readOf, textOf };
    return read;
  };
  return {
    get membership() {
      return evaluatedBy(checks, readAll().entries, start);
    },
    get read() {
      return readAll();
    },
    ...{ ...known, keys, checked: [], isStartProven: undefined, provenKeys: new Set(), isRotated: false },
    ...{ invalid: new Map(), strayRotations: [], needsUpdate: false },
  };
}

/** Evaluates the entries, unless they were evaluated last. */
function evaluatedBy(checks: LogChecks, entries: readonly LogEntry[], start: EntryId): Membership {
  const { last } = checks;
  const isSame =
    last?.start === start &&
    last.entries.length === entries.length &&
    entries.every((entry, at) => entry === last.entries[at]);
  if (isSame) return last.membership;
  const membership = evaluate(entries, start);
  checks.last = { entries, start, membership };
  return membership;
}

/** Returns the rotations in a list by the hashes of their texts. */
function rotationsIn(texts: readonly string[]): ReadonlyMap<string, RotateRecord> {
  const found = new Map<string, RotateRecord>();
  for (const text of texts) {
    const record = parseKeyRecord(text);
    if (record?.t === 'rotate') found.set(hex(sha256(utf8(text))), record);
  }
  return found;
}

/**
 * Opens all data keys that the rotations of a log contain for this device, and checks their
 * records.
 */
async function openAll(
  { ledger, pair, code, keys: given, grants = new Map() }: LogViewParts,
  { past, counts }: Membership,
  records: ReadonlyMap<string, RotateRecord>,
  checks: LogChecks,
) {
  const keys = new Map(given);
  const pairs = code === undefined ? [pair] : [pair, code];
  /** The ids of keys by the names of their records. */
  const usable = new Map<RecordName, string>();
  let waiting = past.entries.flatMap((entry) => {
    const hash = rotationOf(entry)?.record;
    const record = hash === undefined ? undefined : records.get(hash);
    return record === undefined ? [] : [{ entry, name: `${entry.id} ${hash}` as const, record }];
  });
  for (let before = -1; before !== waiting.length; ) {
    before = waiting.length;
    const closed: typeof waiting = [];
    for (const one of waiting) {
      const key = await keyIn(ledger, one.record, pairs, { keys, grants });
      if (key === undefined) {
        closed.push(one);
        continue;
      }
      keys.set(key.name, key);
      const { back } = one.record;
      for (const earlier of back === undefined ? [] : await openKeys(ledger, key, back))
        keys.set(earlier.name, earlier);
      // Checking all boxes takes long, so only entries that count are worth it.
      if (!counts(one.entry.id)) continue;
      const prev = one.entry.prev.map(bytesOfHex);
      const isSealed = checks.resultOf(one.name) ?? (await isSealedForAll(ledger, one.record, prev, key));
      checks.note(one.name, isSealed);
      if (isSealed) usable.set(one.name, key.name);
    }
    waiting = closed;
  }
  // The boxes of the records that are left are for others.
  const isRight = async ({ entry, record }: (typeof waiting)[number]) => {
    const prev = keys.get(hex(record.prev));
    const isForOthers = !record.pubs.some((pub) => pairs.some((own) => equalBytes(pub, own.publicKey)));
    return counts(entry.id) && isForOthers && prev !== undefined && isProven(ledger, record, prev);
  };
  let isRotated = usable.size > 0;
  for (const one of waiting) isRotated ||= await isRight(one);
  return { keys, usable, isRotated };
}

/** Returns the key of a record, if this device has it or can open its box, or a grant of it. */
async function keyIn(
  ledger: Uint8Array,
  record: RotateRecord,
  pairs: readonly KeyPair[],
  { keys, grants }: Required<Pick<LogViewParts, 'keys'>> & { grants: NonNullable<LogViewParts['grants']> },
): Promise<LedgerKey | undefined> {
  const known = keys.get(hex(record.key));
  if (known !== undefined) return known;
  for (const pair of pairs) {
    const box = record.boxes[record.pubs.findIndex((pub) => equalBytes(pub, pair.publicKey))];
    const opened = box && (await openRotation(ledger, record, box, pair));
    if (opened?.name === hex(record.key)) return opened;
  }
  // The record may have been made by somebody who didn't know of this seat.
  for (const grant of grants.get(hex(record.key)) ?? []) {
    const pair = pairs.find((own) => equalBytes(own.publicKey, grant.pub));
    const given = pair && (await openGrant(ledger, grant, pair, SEAT_SECRET));
    const right = given?.find(({ name }) => name === hex(record.key));
    if (right !== undefined) return right;
  }
  return undefined;
}
