/**
 * Decides which entries of the membership log may be put into the key list of a sealed ledger
 * (docs/internals/membership-rules.md, "The gateway"). Devices compute all rights from these
 * entries. The gateway only checks their form, signatures and number.
 */
import { createHash } from 'node:crypto';
import { FieldError, FixpointError } from '@fixpoint/protocol';
import {
  decodeEntry,
  deletionFault,
  ENTRY_CHARS_MAX,
  type EntryId,
  type FormRule,
  type GatewayRule,
  InvalidEntryError,
  inOrder,
  isEntryText,
  isLaterForm,
  isSignedBy,
  type LogSize,
  ledgerBytes,
  limitFault,
  linkFault,
  type PutterRight,
  parseKeyRecord,
  personNamedBy,
  putFault,
  type ReadEntry,
  rotationFault,
  type StoredLog,
  signatureFault,
  startsWithOldKey,
} from '@fixpoint/protocol/storage';
import { isLogEntry, type LedgerKeyList, type LogPlace } from '../../tables/sync/ledger-key-rows.ts';
import type { LedgerId } from '../../tables/sync/meta-rows.ts';

const DAY_MS = 86_400_000;
const KEY_ID_BYTES = 16;
/** Maximum new entries of one put: each has up to four signatures, and names up to 68 others. */
const NEW_MAX = 64;

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();

const CODES = {
  G1: ['CONFLICT', 'an entry names others that are not in the list'],
  G2: [
    'FORBIDDEN',
    'only an admin may start a log, without an API token, only one for each ledger, and only if the server allows it',
  ],
  G3: ['FORBIDDEN', 'entries of the membership log are never removed'],
  G4: ['LIMIT_REACHED', 'entries of the membership log'],
  G5: [
    'REQUEST_INVALID',
    'meta.keys: a rotation without an entry that contains its hash: this database has a signed list of members, so update Fixpoint on this device',
  ],
} as const satisfies Record<GatewayRule, readonly [string, string]>;

/** @throws FixpointError REQUEST_INVALID, FORBIDDEN, CONFLICT, LIMIT_REACHED */
function refuseIf(rule: GatewayRule | undefined): void {
  if (rule === undefined) return;
  const [code, detail] = CODES[rule];
  throw new FixpointError(code, `${detail} (${rule})`);
}

export interface LogPutter {
  readonly id: LedgerId;
  readonly userId: string;
  readonly right: PutterRight;
  /** Whether the caller may start a log: an admin without an API token, if the server allows it. */
  readonly mayStart: boolean;
  readonly now: number;
  /** Counts a put of new entries. @throws RateLimited */
  readonly takeTurn: () => void;
}

/** The checks of one put. */
export interface LogPolicy {
  /**
   * Checks the new entries and rotations of the put against the stored list. Returns whether the
   * ledger has a log.
   * @throws FixpointError REQUEST_INVALID, FORBIDDEN, CONFLICT, LIMIT_REACHED
   */
  check(list: LedgerKeyList): boolean;
  /** Returns the id and kind of a new entry; undefined for other texts. */
  placeOf(keyText: string): LogPlace | undefined;
}

/**
 * Checks the form and signatures of new entries, before the key list is locked. Checks what costs
 * little first, and stops at the first fault.
 * @param rotations the texts of rotations in the put
 * @throws FixpointError as {@link LogPolicy.check}
 */
export async function logPolicy(
  putter: LogPutter,
  keys: readonly string[],
  rotations: readonly string[],
  list: LedgerKeyList,
): Promise<LogPolicy> {
  if (keys.some(isLaterForm))
    throw new FixpointError('REQUEST_INVALID', 'meta.keys: a form that this server does not know (F14)');
  const asked = [...new Set(keys.filter(isEntryText))];
  const texts = newAmong(asked, list);
  if (texts.length > NEW_MAX)
    throw new FieldError('meta.keys', `must have at most ${NEW_MAX} new entries of the membership log`);
  if (texts.some(({ length }) => length > ENTRY_CHARS_MAX)) refuseForm('F2');
  requireLimits(putter, texts, list);
  if (texts.length > 0) putter.takeTurn();
  const read = new Map<string, ReadEntry>();
  for (const text of texts) read.set(text, decodedNew(text));
  const put = { asked, read, rotations };
  checkPut(putter, put, list);
  await requireValid(putter.id, [...read.values()], list);
  return {
    check: (now) => checkPut(putter, put, now),
    placeOf: (keyText) => {
      const entry = read.get(keyText)?.entry;
      return entry && { id: entry.id, kind: entry.kind };
    },
  };
}

function newAmong(texts: readonly string[], { records }: LedgerKeyList): string[] {
  if (texts.length === 0) return [];
  const stored = new Set(records.filter(({ entry }) => entry !== undefined).map(({ keyText }) => keyText));
  return texts.filter((text) => !stored.has(text));
}

/**
 * Requires that the user may put this many further entries.
 * @throws FixpointError LIMIT_REACHED
 */
function requireLimits(
  { userId, right, now }: LogPutter,
  texts: readonly string[],
  { records }: LedgerKeyList,
): void {
  if (texts.length === 0) return;
  const listed = records.filter(({ entry }) => entry !== undefined);
  const own = listed.filter((record) => record.userId === userId);
  const putToday = own.filter(({ createdAt }) => Date.parse(createdAt) > now - DAY_MS).length;
  const put = sizeOf(own.map(({ keyText }) => keyText));
  const stored = sizeOf(listed.map(({ keyText }) => keyText));
  refuseIf(limitFault(sizeOf(texts), { right, putToday, put }, stored));
}

function sizeOf(texts: readonly string[]): LogSize {
  let chars = 0;
  for (const { length } of texts) chars += length;
  return { count: texts.length, chars };
}

interface LogPut {
  /** The texts of all entries in the put. */
  readonly asked: readonly string[];
  /** Those that weren't stored before the put. */
  readonly read: ReadonlyMap<string, ReadEntry>;
  readonly rotations: readonly string[];
}

/** Checks a put against a list. Returns whether the ledger has a log, once the put is stored. */
function checkPut(putter: LogPutter, { asked, read, rotations }: LogPut, list: LedgerKeyList): boolean {
  const fresh = newAmong(asked, list);
  // An admin may have withdrawn `start` since the entries were read.
  if (!fresh.every((text) => read.has(text))) refuseIf('G1');
  requireLimits(putter, fresh, list);
  const log = logIn(list);
  const added = inOrder(fresh.map((text) => (read.get(text) as ReadEntry).entry));
  refuseIf(putFault(added, putter.mayStart, log));
  const start = log.start ?? added.find(({ kind }) => kind === 'start')?.id;
  if (log.start === undefined && startsWithOldKey(added, supersededIn(list)))
    throw new FixpointError('CONFLICT', 'another user rotated the key first (G2)');
  requireEntriesOf(rotations, { asked, read }, { ...log, start }, list);
  return start !== undefined;
}

/** Returns the ids of the data keys that other keys in the list follow. */
function supersededIn({ keys }: LedgerKeyList): ReadonlySet<string> {
  const found = keys.flatMap((text) => {
    const record = isLogEntry(text) ? undefined : parseKeyRecord(text);
    if (record?.t === 'rotate') return [record.prev];
    return record?.t === 'chain' ? record.proofs.map((proof) => proof.subarray(0, KEY_ID_BYTES)) : [];
  });
  return new Set(found.map((id) => Buffer.from(id).toString('hex')));
}

/**
 * Requires that each new rotation has an entry in the same put. The list may contain the entry
 * already: rotations can be removed and put again, and entries can't.
 * @throws FixpointError REQUEST_INVALID
 */
function requireEntriesOf(
  rotations: readonly string[],
  { asked, read }: Pick<LogPut, 'asked' | 'read'>,
  log: StoredLog,
  { keys }: LedgerKeyList,
): void {
  if (rotations.length === 0) return;
  const stored = new Set(keys);
  const fresh = rotations.filter((text) => !stored.has(text));
  if (fresh.length === 0) return;
  const entries = asked.map((text) => (read.get(text) ?? decodeEntry(text, sha256)).entry);
  for (const text of fresh) refuseIf(rotationFault(sha256(Buffer.from(text)).toString('hex'), entries, log));
}

/**
 * Requires that these texts may be removed from the list.
 * @param mayStart see {@link LogPutter}
 * @throws FixpointError FORBIDDEN
 */
export function requireRemovable(texts: readonly string[], mayStart: boolean, list: LedgerKeyList): void {
  const removed = new Set(texts.filter(isLogEntry));
  if (removed.size === 0) return;
  const log = logIn(list);
  for (const { keyText, entry } of list.records)
    if (entry !== undefined && removed.has(keyText)) refuseIf(deletionFault(entry.id, mayStart, log));
}

interface ListedLog extends StoredLog {
  /** The texts of all entries in the list. */
  readonly ids: ReadonlyMap<EntryId, string>;
}

function logIn({ records }: LedgerKeyList): ListedLog {
  const ids = new Map<EntryId, string>();
  let start: EntryId | undefined;
  for (const { keyText, entry } of records) {
    if (entry === undefined) continue;
    ids.set(entry.id, keyText);
    if (entry.kind === 'start') start = entry.id;
  }
  return { ids, start };
}

/**
 * Requires that these entries fit to those that they name, and that all signatures are valid.
 * @param list contains the other entries that they name
 * @throws FixpointError REQUEST_INVALID
 */
async function requireValid(
  { tenant, ledger }: LedgerId,
  read: readonly ReadEntry[],
  list: LedgerKeyList,
): Promise<void> {
  if (read.length === 0) return;
  const { ids } = logIn(list);
  const known = new Map(read.map((one) => [one.entry.id, one]));
  const readOf = (id: EntryId): ReadEntry | undefined => {
    const text = ids.get(id);
    const found = known.get(id) ?? (text === undefined ? undefined : decodeEntry(text, sha256));
    if (found !== undefined) known.set(id, found);
    return found;
  };
  for (const { entry } of read) {
    const rule = linkFault(entry, (id) => readOf(id)?.entry);
    if (rule !== undefined) refuseForm(rule);
  }
  const bytes = ledgerBytes(tenant, ledger);
  for (const { entry, fields } of read) {
    const user = readOf(personNamedBy(entry) ?? entry.id)?.fields['user'];
    const rule = await signatureFault(
      fields,
      bytes,
      user instanceof Uint8Array ? user : undefined,
      isSignedBy,
    );
    if (rule === 'unchecked') throw new Error('this platform can not check signatures');
    if (rule !== undefined) refuseForm(rule);
  }
}

/** @throws FixpointError REQUEST_INVALID */
function decodedNew(text: string): ReadEntry {
  try {
    return decodeEntry(text, sha256);
  } catch (cause) {
    if (!(cause instanceof InvalidEntryError)) throw cause;
    return refuseForm(cause.rule);
  }
}

function refuseForm(rule: FormRule): never {
  throw new FixpointError(
    'REQUEST_INVALID',
    `meta.keys: an entry of the membership log isn't valid (${rule})`,
  );
}
