/**
 * Decides which entries of the membership log may be put into the key list of a sealed ledger
 * (docs/internals/membership-rules.md, "The gateway"). Devices compute all rights from these
 * entries. The gateway only checks their form, signatures and number.
 */
import { createHash } from 'node:crypto';
import { FixpointError } from '@fixpoint/protocol';
import {
  decodeEntry,
  deletionFault,
  type GatewayRule,
  InvalidEntryError,
  inOrder,
  isEntryText,
  isLaterForm,
  isSignedBy,
  type LogEntry,
  ledgerBytes,
  putFault,
  type ReadEntry,
  readLog,
  rotationFault,
  type StoredLog,
  usersIn,
} from '@fixpoint/protocol/storage';
import { isLogEntry, type LedgerKeyList } from '../../tables/sync/ledger-key-rows.ts';
import type { LedgerId } from '../../tables/sync/meta-rows.ts';

const DAY_MS = 86_400_000;
/** Maximum total length of the entries of a ledger: for everybody, and for admins of the tenant. */
const CHARS_MAX = 4_000_000;
const ADMIN_CHARS_MAX = 8_000_000;

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();

const CODES = {
  G1: ['CONFLICT', 'an entry names others that are not in the list'],
  G2: ['FORBIDDEN', 'only an admin may start a log, and only one for each ledger'],
  G3: ['FORBIDDEN', 'entries of the membership log are never removed'],
  G4: ['LIMIT_REACHED', 'entries of the membership log'],
  G5: ['REQUEST_INVALID', 'meta.keys: a rotation without an entry that contains its hash'],
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
  readonly isTenantAdmin: boolean;
  readonly now: number;
}

/** The checks of one put. */
export interface LogPolicy {
  /**
   * Checks the new entries and rotations of the put against the stored list. Returns whether the
   * ledger has a log.
   * @throws FixpointError REQUEST_INVALID, FORBIDDEN, CONFLICT, LIMIT_REACHED
   */
  check(list: LedgerKeyList): boolean;
}

/**
 * Checks the form and signatures of new entries, before the key list is locked.
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
  const stored = new Set(list.keys);
  const texts = [...new Set(keys.filter(isLogEntry))].filter((text) => !stored.has(text));
  if (!texts.every(isEntryText))
    throw new FixpointError('REQUEST_INVALID', 'meta.keys: greetings are not supported');
  const entries = inOrder(texts.map((text) => decodedNew(text).entry));
  const check = (now: LedgerKeyList) => checkPut(putter, { texts, entries, rotations }, now);
  // Checked before the signatures, too, because they take long.
  check(list);
  const { tenant, ledger } = putter.id;
  const reading = { ledger: ledgerBytes(tenant, ledger), hash: sha256, verify: isSignedBy };
  const users = usersIn(readStored(list).values());
  const { invalid, entries: valid } = await readLog(texts, { ...reading, users });
  for (const rule of invalid.values()) refuseForm(rule);
  if (valid.length < entries.length) refuseIf('G1');
  return { check };
}

interface LogPut {
  readonly texts: readonly string[];
  readonly entries: readonly LogEntry[];
  readonly rotations: readonly string[];
}

function checkPut(
  { userId, isTenantAdmin, now }: LogPutter,
  { texts, entries, rotations }: LogPut,
  list: LedgerKeyList,
): boolean {
  const log = logIn(list);
  const fresh = entries.filter(({ id }) => !log.ids.has(id));
  const own = list.records.filter((record) => record.userId === userId && isLogEntry(record.keyText));
  const putToday = own.filter(({ createdAt }) => Date.parse(createdAt) > now - DAY_MS).length;
  refuseIf(putFault(fresh, { isTenantAdmin, putToday, putEver: own.length }, log));
  const listed = new Set(list.keys);
  const all = [...list.keys.filter(isLogEntry), ...texts.filter((text) => !listed.has(text))];
  const chars = all.reduce((sum, { length }) => sum + length, 0);
  if (texts.length > 0 && chars > (isTenantAdmin ? ADMIN_CHARS_MAX : CHARS_MAX)) refuseIf('G4');
  const start = log.start ?? entries.find(({ kind }) => kind === 'start')?.id;
  for (const text of rotations)
    if (!listed.has(text))
      refuseIf(rotationFault(sha256(Buffer.from(text)).toString('hex'), entries, { ...log, start }));
  return start !== undefined;
}

/**
 * Requires that these texts may be removed from the list.
 * @throws FixpointError FORBIDDEN
 */
export function requireRemovable(
  texts: readonly string[],
  isTenantAdmin: boolean,
  list: LedgerKeyList,
): void {
  const log = logIn(list);
  for (const text of texts.filter(isLogEntry)) {
    const entry = decoded(text)?.entry;
    refuseIf(entry === undefined ? 'G3' : deletionFault(entry.id, { isTenantAdmin }, log));
  }
}

function logIn(list: LedgerKeyList): StoredLog {
  const entries = [...readStored(list).values()].map(({ entry }) => entry);
  return {
    ids: new Set(entries.map(({ id }) => id)),
    start: entries.find(({ kind }) => kind === 'start')?.id,
  };
}

/** Returns the entries of a list by their texts. */
function readStored({ keys }: LedgerKeyList): ReadonlyMap<string, ReadEntry> {
  const found = new Map<string, ReadEntry>();
  for (const text of keys.filter(isLogEntry)) {
    const entry = decoded(text);
    if (entry !== undefined) found.set(text, entry);
  }
  return found;
}

const DECODED_MAX = 20_000;
const entriesByText = new Map<string, ReadEntry | undefined>();

/** Decodes a stored entry. Keeps the result, because each put reads all entries of its ledger. */
function decoded(text: string): ReadEntry | undefined {
  if (entriesByText.has(text)) return entriesByText.get(text);
  let entry: ReadEntry | undefined;
  try {
    entry = decodeEntry(text, sha256);
  } catch (cause) {
    if (!(cause instanceof InvalidEntryError)) throw cause;
  }
  if (entriesByText.size >= DECODED_MAX) entriesByText.clear();
  entriesByText.set(text, entry);
  return entry;
}

function decodedNew(text: string): ReadEntry {
  try {
    return decodeEntry(text, sha256);
  } catch (cause) {
    if (!(cause instanceof InvalidEntryError)) throw cause;
    return refuseForm(cause.rule);
  }
}

function refuseForm(rule: InvalidEntryError['rule']): never {
  throw new FixpointError(
    'REQUEST_INVALID',
    `meta.keys: an entry of the membership log isn't valid (${rule})`,
  );
}
