/**
 * Stores the key list of a ledger: raw keys of an open-key ledger, or records of a sealed ledger.
 * Also sets the kind of a ledger.
 */
import { createHash } from 'node:crypto';
import { FixpointError } from '@fixpoint/protocol';
import { type EntryId, LEDGER_KINDS, type LedgerKind, type Metas } from '@fixpoint/protocol/storage';
import type { Connection } from '../connection.ts';

/**
 * Maximum number of keys of a ledger. Clients of open-key ledgers send all their keys with each
 * put.
 */
const LEDGER_KEYS_MAX = 1000;
const LEDGER_KEYS_CHARS_MAX = 4_000_000;
/** Maximum number of records of a ledger, including withdrawn ones. */
const RECORDS_MAX = 4 * LEDGER_KEYS_MAX;
/** An entry of the membership log, as its row describes it. */
export interface LogPlace {
  readonly id: EntryId;
  readonly kind: string;
}

/** A key, or a record of a sealed ledger, as it is stored. */
export interface StoredKey {
  readonly keyText: string;
  /** Defined for entries of the membership log. */
  readonly entry?: LogPlace;
  /** The name of the seat whose greeting this is; absent for everything else. */
  readonly greets?: string;
  readonly userId: string | null;
  readonly createdAt: string;
  readonly removedAt: string | null;
}

export interface LedgerKeyList {
  /** Listed keys or records, sorted. */
  readonly keys: readonly string[];
  /** All records, including withdrawn devices and recovery codes. */
  readonly records: readonly StoredKey[];
  /**
   * Records of a sealed ledger, including withdrawn records, by the user who put them. Omits
   * entries of the membership log.
   */
  readonly recordsOf: ReadonlyMap<string, readonly string[]>;
}

/**
 * Returns whether a text is a key record or an entry of a sealed ledger. These begin with `S`, but
 * raw keys and entries of open-key ledgers don't.
 */
export const isSealedRecord = (text: string): boolean => text.startsWith('S');

/** The kind of rows that contain greetings. */
export const GREETING_KIND = 'hello';

/** Returns whether a text is an entry of the membership log of a sealed ledger, or a greeting. */
export const isLogEntry = (text: string): boolean => text.startsWith('S2.');

export const ledgerKindOf = (text: string | null): LedgerKind | undefined =>
  LEDGER_KINDS.find((kind) => kind === text);

/**
 * Sets the kind of a ledger at its first put, and rejects puts of the other kind.
 * @throws FixpointError LEDGER_KIND
 */
export async function settleKind(
  tx: Connection,
  ledger: string,
  stored: string | null,
  { metas, keys }: Metas,
): Promise<void> {
  const texts = [...keys, ...metas.map(({ data }) => data)];
  const [first] = texts;
  if (first === undefined) return;
  const known = ledgerKindOf(stored);
  const kind = known ?? (isSealedRecord(first) ? 'sealed' : 'open-key');
  if (texts.some((text) => isSealedRecord(text) !== (kind === 'sealed')))
    throw new FixpointError('LEDGER_KIND', `it is ${kind}`);
  // An open-key ledger doesn't store keys without entries, so such a put doesn't set the kind.
  if (known !== undefined || (kind === 'open-key' && metas.length === 0)) return;
  await tx.updateTable('Ledgers').set({ kind }).where('ledgerId', '=', ledger).execute();
}

/** The gateway's checks of records before they are stored. */
export interface KeyPolicy {
  /**
   * Called with the ledger's current list while the ledger's row is locked.
   * @throws FixpointError
   */
  check(list: LedgerKeyList): void;
  /**
   * Returns the id and kind of a checked entry of the membership log. For a greeting, the id is the
   * name of its seat.
   */
  placeOf(keyText: string): LogPlace | undefined;
  /** Returns whether this is a greeting, and the list has a newer one of its seat. */
  isOutdated(keyText: string): boolean;
  /** Returns the stored greetings that a new one of the same seat replaces. */
  replaced(): readonly string[];
  /**
   * Returns whether a checked put is within the reserve of its admin: rotations in a ledger with a
   * membership log, which the limits of the list don't reject. Otherwise a writer could fill the
   * list, so that nobody can rotate the key when the writer is removed.
   */
  hasReserve(): boolean;
  /** Returns whether a record that this user put may pass to another user. */
  isFree(userId: string): boolean;
}

const OPEN: KeyPolicy = {
  check: () => undefined,
  placeOf: () => undefined,
  isOutdated: () => false,
  replaced: () => [],
  hasReserve: () => false,
  isFree: () => false,
};

/**
 * Adds keys. A record that several users put belongs to the first of them, until this user loses
 * access or withdraws the record. Then it passes to the next user who puts it.
 */
export async function putKeys(
  tx: Connection,
  ledger: string,
  userId: string | null,
  keys: readonly string[],
  createdAt: string,
  policy: KeyPolicy = OPEN,
): Promise<void> {
  const list = await readKeyList(tx, ledger);
  policy.check(list);
  const known = new Map(list.records.map((record) => [record.keyText, record]));
  const fresh = [...new Set(keys)].filter((key) => !known.has(key) && !policy.isOutdated(key));
  if (!policy.hasReserve()) requireRoom(list, fresh);
  // An earlier version of the server may have stored the same text without checking it.
  await deleteKeys(tx, ledger, [...fresh.filter(isLogEntry), ...policy.replaced()]);
  const rows = fresh.map((keyText) => {
    const place = isLogEntry(keyText) ? placeIn(policy, keyText) : undefined;
    const entry = { entryId: place?.id ?? null, entryKind: place?.kind ?? null };
    return { ledgerId: ledger, keyHash: hashOf(keyText), keyText, userId, createdAt, ...entry };
  });
  if (rows.length > 0) await tx.insertInto('LedgerKeys').values(rows).execute();
  const again = [...new Set(keys)].filter((key) => {
    const record = known.get(key);
    if (record === undefined || !isSealedRecord(key) || isLogEntry(key)) return false;
    return record.userId === null || record.removedAt !== null || policy.isFree(record.userId);
  });
  if (again.length > 0)
    await tx
      .updateTable('LedgerKeys')
      .set({ userId, removedAt: null })
      .where('ledgerId', '=', ledger)
      .where('keyHash', 'in', again.map(hashOf))
      .execute();
}

/** @throws FixpointError CONFLICT for an entry that the policy didn't check */
function placeIn(policy: KeyPolicy, keyText: string): LogPlace {
  const place = policy.placeOf(keyText);
  if (place === undefined) throw new FixpointError('CONFLICT', 'an entry of the membership log is gone');
  return place;
}

/**
 * Requires room for the keys. Entries of the membership log have separate limits.
 * @throws FixpointError LIMIT_REACHED
 */
function requireRoom(list: LedgerKeyList, all: readonly string[]): void {
  const isCounted = (text: string) => !isLogEntry(text);
  const [keys, fresh] = [list.keys.filter(isCounted), all.filter(isCounted)];
  const records = list.records.filter(({ keyText }) => !isLogEntry(keyText));
  const isOver = keys.length + fresh.length > LEDGER_KEYS_MAX || records.length + fresh.length > RECORDS_MAX;
  if (fresh.length > 0 && isOver) throw new FixpointError('LIMIT_REACHED', `${LEDGER_KEYS_MAX} keys`);
  if (fresh.length > 0 && charsOf(keys) + charsOf(fresh) > LEDGER_KEYS_CHARS_MAX)
    throw new FixpointError('LIMIT_REACHED', 'total length of keys');
}

/** Returns the keys of a ledger, sorted. */
export const readKeys = async (db: Connection, ledger: string): Promise<readonly string[]> =>
  (await readKeyList(db, ledger)).keys;

export async function readKeyList(db: Connection, ledger: string): Promise<LedgerKeyList> {
  const rows = await db
    .selectFrom('LedgerKeys')
    .select(['keyText', 'userId', 'createdAt', 'removedAt', 'entryId', 'entryKind'])
    .where('ledgerId', '=', ledger)
    .execute();
  const records = rows.flatMap(recordOf);
  const recordsOf = new Map<string, string[]>();
  for (const { keyText, userId } of records) {
    if (userId === null || !isSealedRecord(keyText) || isLogEntry(keyText)) continue;
    const own = recordsOf.get(userId) ?? [];
    recordsOf.set(userId, own);
    own.push(keyText);
  }
  const listed = records.filter(({ removedAt }) => removedAt === null);
  // Sorted here, because databases differ in how they sort text.
  return { keys: listed.map(({ keyText }) => keyText).sort(), records, recordsOf };
}

interface KeyRow extends Omit<StoredKey, 'entry'> {
  readonly entryId: string | null;
  readonly entryKind: string | null;
}

/**
 * Returns a row as a record. Omits entries of the membership log without an id: earlier versions of
 * the server stored them unchecked, also while a newer version runs beside them.
 */
function recordOf({ entryId: id, entryKind: kind, ...record }: KeyRow): StoredKey[] {
  if (id !== null && kind === GREETING_KIND) return [{ ...record, greets: id }];
  if (id !== null && kind !== null) return [{ ...record, entry: { id, kind } }];
  return isLogEntry(record.keyText) ? [] : [record];
}

/** Deletes keys of a ledger. */
export async function deleteKeys(db: Connection, ledger: string, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await db
    .deleteFrom('LedgerKeys')
    .where('ledgerId', '=', ledger)
    .where('keyHash', 'in', [...new Set(keys)].map(hashOf))
    .execute();
}

/** Removes records from the list, but keeps their rows, which say to whom they belong. */
export async function withdrawRecords(
  db: Connection,
  ledger: string,
  keys: readonly string[],
  removedAt: string,
): Promise<void> {
  if (keys.length === 0) return;
  await db
    .updateTable('LedgerKeys')
    .set({ removedAt })
    .where('ledgerId', '=', ledger)
    .where('removedAt', 'is', null)
    .where('keyHash', 'in', [...new Set(keys)].map(hashOf))
    .execute();
}

const hashOf = (keyText: string): string => createHash('sha256').update(keyText).digest('hex');

function charsOf(texts: Iterable<string>): number {
  let chars = 0;
  for (const { length } of texts) chars += length;
  return chars;
}
