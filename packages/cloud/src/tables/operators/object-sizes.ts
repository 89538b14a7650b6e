/**
 * Counts the stored bytes of each tenant. A count is never computed from uploads and removals,
 * because these can overlap. Instead, each caller that changed an object measures it afterwards,
 * and stores the size unless another caller stored one in between. So the last count is always
 * made after the last change.
 */
import type { Connection, Db } from '../connection.ts';
import { inTransaction } from '../connection.ts';
import { newId } from '../new-row.ts';

/** An object of a ledger. */
export interface CountedObject {
  readonly tenant: string;
  readonly ledger: string;
  /** The path of the object without tenant and ledger. */
  readonly name: string;
}

interface Counted {
  readonly bytes: number;
  readonly version: string;
}

const TRIES_MAX = 20;

/**
 * Counts an object after it changed.
 * @param measure returns the bytes of the object with its variants; 0 for a missing object
 */
export async function countObject(
  db: Db,
  object: CountedObject,
  measure: () => Promise<number>,
): Promise<void> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const before = await countedSize(db, object);
    const bytes = await measure();
    if (before === undefined && bytes === 0) return;
    // A new row is checked again, because a removal before it had no row to update.
    if ((await replaceCount(db, object, before, bytes)) && before !== undefined) return;
  }
}

/**
 * Counts an object whose upload was just stored. For a new object, stores the length of the upload
 * instead of measuring, which costs a request to a bucket.
 */
export async function countNewObject(
  db: Db,
  object: CountedObject,
  bytes: number,
  measure: () => Promise<number>,
): Promise<void> {
  if (!(await replaceCount(db, object, undefined, bytes))) await countObject(db, object, measure);
}

/** Returns the counted size of an object; undefined for an object that isn't counted. */
export async function countedSize(
  db: Connection,
  { ledger, name }: Pick<CountedObject, 'ledger' | 'name'>,
): Promise<Counted | undefined> {
  const row = await db
    .selectFrom('ObjectSizes')
    .select(['bytes', 'version'])
    .where('ledgerId', '=', ledger)
    .where('name', '=', name)
    .executeTakeFirst();
  return row && { bytes: Number(row.bytes), version: row.version };
}

/** Returns false, and changes nothing, if another writer changed the count since `before`. */
async function replaceCount(
  db: Db,
  { tenant, ledger, name }: CountedObject,
  before: Counted | undefined,
  bytes: number,
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const row = { ledgerId: ledger, name, tenantId: tenant, bytes, version: newId() };
    const ofObject = { ledgerId: ledger, name, version: before?.version ?? '' };
    const changed =
      before === undefined
        ? await tx
            .insertInto('ObjectSizes')
            .values(row)
            .onConflict((conflict) => conflict.columns(['ledgerId', 'name']).doNothing())
            .returning('name')
            .execute()
        : await tx
            .updateTable('ObjectSizes')
            .set({ bytes, version: row.version })
            .where((eb) => eb.and(ofObject))
            .returning('name')
            .execute();
    if (changed.length === 0) return false;
    if (bytes === 0)
      await tx
        .deleteFrom('ObjectSizes')
        .where('ledgerId', '=', ledger)
        .where('name', '=', name)
        .where('bytes', '=', 0)
        .execute();
    await addBytes(tx, tenant, bytes - (before?.bytes ?? 0));
    return true;
  });
}

async function addBytes(tx: Connection, tenantId: string, bytes: number): Promise<void> {
  if (bytes === 0) return;
  await tx
    .insertInto('TenantStorage')
    .values({ tenantId, bytes })
    .onConflict((conflict) =>
      conflict.column('tenantId').doUpdateSet((eb) => ({
        bytes: eb('TenantStorage.bytes', '+', eb.ref('excluded.bytes')),
      })),
    )
    .execute();
}

/** Forgets the counts of ledgers whose objects are removed. */
export async function forgetSizes(tx: Connection, ledgerIds: readonly string[]): Promise<void> {
  if (ledgerIds.length === 0) return;
  const rows = await tx
    .deleteFrom('ObjectSizes')
    .where('ledgerId', 'in', ledgerIds)
    .returning(['tenantId', 'bytes'])
    .execute();
  const sums = new Map<string, number>();
  for (const { tenantId, bytes } of rows) sums.set(tenantId, (sums.get(tenantId) ?? 0) + Number(bytes));
  for (const [tenantId, bytes] of [...sums].sort()) await addBytes(tx, tenantId, -bytes);
  await tx
    .deleteFrom('TenantStorage')
    .where('tenantId', 'in', [...sums.keys(), ''])
    .where('bytes', '=', 0)
    .where('maxBytes', 'is', null)
    .execute();
}

/** The stored bytes of a tenant. */
export interface Usage {
  readonly bytes: number;
  /** The byte quota; undefined without one. */
  readonly maxBytes: number | undefined;
}

export async function usageOf(db: Connection, tenantId: string): Promise<Usage> {
  const row = await db
    .selectFrom('TenantStorage')
    .select(['bytes', 'maxBytes'])
    .where('tenantId', '=', tenantId)
    .executeTakeFirst();
  return {
    bytes: Number(row?.bytes ?? 0),
    maxBytes: row?.maxBytes == null ? undefined : Number(row.maxBytes),
  };
}

/** Sets or removes the byte quota of a tenant. */
export async function setQuota(db: Connection, tenantId: string, maxBytes: number | null): Promise<void> {
  await db
    .insertInto('TenantStorage')
    .values({ tenantId, bytes: 0, maxBytes })
    .onConflict((conflict) => conflict.column('tenantId').doUpdateSet({ maxBytes }))
    .execute();
}

/** Forgets the quota, the count and the traffic of a deleted tenant. */
export async function forgetTenantStorage(tx: Connection, tenantId: string): Promise<void> {
  await tx.deleteFrom('TenantStorage').where('tenantId', '=', tenantId).execute();
  await tx.deleteFrom('TenantTraffic').where('tenantId', '=', tenantId).execute();
}
