import type { Insertable } from 'kysely';
import type { Connection } from './database.ts';
import type { AuditRecordsTable, AuditRow } from './schema.ts';

/** Gives the record the next number of its tenant. The tenant's row is taken first where two writers may meet; a number that is taken fails the transaction. */
export async function insertAudit(
  db: Connection,
  record: Omit<Insertable<AuditRecordsTable>, 'seq'>,
): Promise<void> {
  await db
    .updateTable('Tenants')
    .set((set) => ({ updatedAt: set.ref('updatedAt') }))
    .where('tenantId', '=', record.tenantId)
    .execute();
  const { last } = await db
    .selectFrom('AuditRecords')
    .select(({ fn }) => fn.max('seq').as('last'))
    .where('tenantId', '=', record.tenantId)
    .executeTakeFirstOrThrow();
  await db
    .insertInto('AuditRecords')
    .values({ ...record, seq: Number(last ?? 0) + 1 })
    .execute();
}

/** Newest first. */
export async function listAuditOf(
  db: Connection,
  tenantId: string,
  { before, limit }: { readonly before: number | undefined; readonly limit: number },
): Promise<AuditRow[]> {
  let query = db.selectFrom('AuditRecords').selectAll().where('tenantId', '=', tenantId);
  if (before !== undefined) query = query.where('seq', '<', before);
  return query.orderBy('seq', 'desc').limit(limit).execute();
}
