/**
 * Checks records that a reader puts into a sealed ledger: devices that request access, their
 * consents to a membership log, keys for these devices, recovery codes and requests for them.
 * Readers already have the keys or get them from others, so a reader's grant to themselves gives
 * nobody else access (docs/decisions/0095).
 */
import { FixpointError } from '@fixpoint/protocol';
import { type KeyRecord, parseKeyRecord, recordFields } from '@fixpoint/protocol/storage';
import { isLogEntry, type LedgerKeyList } from '../../tables/sync/ledger-key-rows.ts';
import { type LedgerId, readMetas } from '../../tables/sync/meta-rows.ts';
import type { GatewayParts } from '../gateway-types.ts';
import { textOf } from './key-records.ts';

/** Maximum records of one reader: in the list, and in total with removed ones. */
const RECORDS_MAX = 20;
const RECORDS_EVER_MAX = 200;
/** Maximum characters of a record. A grant of the engine contains up to 140 keys, which fit. */
const RECORD_CHARS_MAX = 8192;
const FIELDS = new Set([
  't',
  'box',
  'eph',
  'key',
  'pub',
  'proof',
  'locked',
  'sign',
  'user',
  'ok',
  'bond',
  'at',
  'by',
  'in',
  'sig',
]);

/**
 * Requires that a reader may put these records, and that no other user with access owns them.
 * @throws FixpointError FORBIDDEN, LIMIT_REACHED
 */
export async function requireOwnRecords(
  { db }: Pick<GatewayParts, 'db'>,
  id: LedgerId,
  userId: string,
  keys: readonly string[],
): Promise<void> {
  const listed = await readMetas(db, id, 0, 0);
  if (listed.kind !== 'sealed') throw new FixpointError('FORBIDDEN');
  const records = new Map(listed.records.map((record) => [record.keyText, record]));
  const ofUser = listed.records.filter(({ userId: by, keyText }) => by === userId && !isLogEntry(keyText));
  const stored = ofUser.filter(({ removedAt }) => removedAt === null).map(({ keyText }) => keyText);
  const fresh = keys.filter((key) => records.get(key)?.userId !== userId || !stored.includes(key));
  const own = new Set(
    recordsIn([...stored, ...fresh]).flatMap((one) => (one.t === 'device' ? [textOf(one.pub)] : [])),
  );
  const others = namedByOthers(listed, userId);
  for (const key of keys) if (!isOwn(key, own, others)) throw new FixpointError('FORBIDDEN');
  if (fresh.some(({ length }) => length > RECORD_CHARS_MAX))
    throw new FixpointError('LIMIT_REACHED', 'length of a record');
  const added = fresh.filter((key) => !records.has(key)).length;
  if (stored.length + fresh.length > RECORDS_MAX || ofUser.length + added > RECORDS_EVER_MAX)
    throw new FixpointError('LIMIT_REACHED', `${RECORDS_MAX} records of readers`);
}

const recordsIn = (keys: readonly string[]): KeyRecord[] => keys.flatMap((key) => parseKeyRecord(key) ?? []);

/** Returns the public keys in the records of other users. */
function namedByOthers({ records }: LedgerKeyList, userId: string): ReadonlySet<string> {
  const theirs = records.filter((record) => record.userId !== userId).map(({ keyText }) => keyText);
  return new Set(
    recordsIn(theirs).flatMap((one) => (one.t === 'device' || one.t === 'grant' ? [textOf(one.pub)] : [])),
  );
}

/**
 * Returns whether a record is about the reader's own keys. A recovery code must not use the public
 * key of another user's device. Otherwise removing the reader would also remove that device.
 */
function isOwn(key: string, own: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  const [record, fields] = [parseKeyRecord(key), recordFields(key)];
  if (record === undefined || ![...(fields?.keys() ?? [])].every((name) => FIELDS.has(name))) return false;
  if (record.t === 'device') return true;
  if (record.t === 'consent') return own.has(textOf(record.pub));
  if (record.t === 'code') return !others.has(textOf(record.pub));
  if (record.t !== 'grant') return false;
  return record.locked === undefined ? own.has(textOf(record.pub)) : !others.has(textOf(record.pub));
}
