/**
 * Records that somebody puts who may only read a sealed ledger: of his devices that ask, keys for these devices, and recovery codes. He has the keys or gets them from who
 * has; what he gives to himself gives nobody else anything (docs/decisions/0095).
 */
import { FixpointError } from '@fixpoint/protocol';
import { type LedgerId, readMetas } from '../tables/metas.ts';
import type { GatewayParts } from './handler.ts';
import { type ReadRecord, readRecord, recordsOfRemoved } from './key-records.ts';

/** So many records of one reader. */
const RECORDS_MAX = 20;
/** A key is given together with all that were before it: this is enough for some hundred. */
const RECORD_CHARS_MAX = 8192;

/**
 * Those of the records that are to be stored. What is there stays its putter's, unless he may no longer use the ledger: nobody takes over the devices of others.
 * @throws FixpointError FORBIDDEN, LIMIT_REACHED
 */
export async function requireOwnRecords(
  { db, rights }: Pick<GatewayParts, 'db' | 'rights'>,
  id: LedgerId,
  userId: string,
  keys: readonly string[],
): Promise<readonly string[]> {
  const listed = await readMetas(db, id, 0, 0);
  if (listed.kind !== 'sealed') throw new FixpointError('FORBIDDEN');
  const removed = new Set(await recordsOfRemoved(rights, id, listed));
  const known = new Set(listed.keys);
  const fresh = keys.filter((key) => !known.has(key) || removed.has(key));
  const stored = listed.recordsOf.get(userId) ?? [];
  const own = recordsIn([...stored, ...fresh]);
  const others = new Set(recordsIn(listed.keys.filter((key) => !stored.includes(key))).map(({ pub }) => pub));
  for (const key of keys) if (!isOwn(readRecord(key), own, others)) throw new FixpointError('FORBIDDEN');
  if (fresh.some(({ length }) => length > RECORD_CHARS_MAX))
    throw new FixpointError('LIMIT_REACHED', 'length of a record');
  if (stored.length + fresh.length > RECORDS_MAX)
    throw new FixpointError('LIMIT_REACHED', `${RECORDS_MAX} records of who may read`);
  return fresh;
}

const recordsIn = (keys: readonly string[]): ReadRecord[] => keys.flatMap((key) => readRecord(key) ?? []);

/** A recovery code that bore the public key of somebody else's device would take it along when its putter is removed. */
function isOwn(
  record: ReadRecord | undefined,
  own: readonly ReadRecord[],
  others: ReadonlySet<string>,
): boolean {
  if (record?.is === 'recovery') return !others.has(record.pub);
  if (record?.is === 'grant') return own.some(({ is, pub }) => is === 'device' && pub === record.pub);
  return record?.is === 'device';
}
