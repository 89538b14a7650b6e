/**
 * Records that somebody puts who may only read a sealed ledger: their devices that ask, keys for these devices, and recovery codes. They have the keys or get
 * them from others; what they give to themselves gives nobody else anything (docs/decisions/0095).
 */
import { FixpointError } from '@fixpoint/protocol';
import { type KeyRecord, parseKeyRecord, recordFields } from '@fixpoint/protocol/storage';
import type { LedgerKeyList } from '../tables/ledger-keys.ts';
import { type LedgerId, readMetas } from '../tables/metas.ts';
import type { GatewayParts } from './handler.ts';
import { textOf } from './key-records.ts';

/** So many records of one reader, and so many with those that were taken out. */
const RECORDS_MAX = 20;
const RECORDS_EVER_MAX = 200;
/** A key is given together with all that were before it: this is enough for some hundred. */
const RECORD_CHARS_MAX = 8192;
const FIELDS = new Set(['t', 'box', 'eph', 'key', 'pub', 'proof', 'locked']);

/**
 * Whether these are records that a reader may put. Those of somebody else who has access stay theirs.
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
  const ofUser = listed.records.filter((record) => record.userId === userId);
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
    throw new FixpointError('LIMIT_REACHED', `${RECORDS_MAX} records of who may read`);
}

const recordsIn = (keys: readonly string[]): KeyRecord[] => keys.flatMap((key) => parseKeyRecord(key) ?? []);

/** Public keys that records of somebody else name. */
function namedByOthers({ records }: LedgerKeyList, userId: string): ReadonlySet<string> {
  const theirs = records.filter((record) => record.userId !== userId).map(({ keyText }) => keyText);
  return new Set(
    recordsIn(theirs).flatMap((one) => (one.t === 'device' || one.t === 'grant' ? [textOf(one.pub)] : [])),
  );
}

/** A recovery code that bore the public key of somebody else's device would take it along when its putter is removed. */
function isOwn(key: string, own: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  const [record, fields] = [parseKeyRecord(key), recordFields(key)];
  if (record === undefined || ![...(fields?.keys() ?? [])].every((name) => FIELDS.has(name))) return false;
  if (record.t === 'device') return true;
  if (record.t !== 'grant') return false;
  return record.locked === undefined ? own.has(textOf(record.pub)) : !others.has(textOf(record.pub));
}
