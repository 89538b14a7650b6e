import type { Insertable } from 'kysely';
import type { Connection } from '../connection.ts';
import type { AuditRecordsTable, AuditRow } from '../schema.ts';

/** The `tenantId` of records about the server itself. No tenant has this id. */
export const SERVER = 'server';

/**
 * Adds a record with the next number of its tenant. Locks the tenant's row first, or the rows of
 * operators, so that two parallel writers don't use the same number.
 */
export async function insertAudit(
  db: Connection,
  record: Omit<Insertable<AuditRecordsTable>, 'seq'>,
): Promise<void> {
  if (record.tenantId === SERVER) await lockOperators(db);
  else
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

const lockOperators = (db: Connection) =>
  db
    .updateTable('Operators')
    .set((set) => ({ createdAt: set.ref('createdAt') }))
    .execute();

/** Returns the records of a tenant, newest first. */
export async function listAuditOf(
  db: Connection,
  tenantId: string,
  { before, limit }: { readonly before: number | undefined; readonly limit: number },
): Promise<AuditRow[]> {
  let query = db.selectFrom('AuditRecords').selectAll().where('tenantId', '=', tenantId);
  if (before !== undefined) query = query.where('seq', '<', before);
  return query.orderBy('seq', 'desc').limit(limit).execute();
}

/**
 * Removes records before a time. Keeps the newest record of each existing tenant and of the server,
 * from which the next number is counted, so that no number is used twice.
 */
export async function removeAuditBefore(db: Connection, oldest: string): Promise<void> {
  await db
    .deleteFrom('AuditRecords')
    .where('createdAt', '<', oldest)
    .where((where) =>
      where.or([
        where.and([
          where('tenantId', '!=', SERVER),
          where.not(
            where.exists(
              where
                .selectFrom('Tenants')
                .select('Tenants.tenantId')
                .whereRef('Tenants.tenantId', '=', 'AuditRecords.tenantId'),
            ),
          ),
        ]),
        where(
          'seq',
          '<',
          where
            .selectFrom('AuditRecords as others')
            .select(({ fn }) => fn.max('others.seq').as('last'))
            .whereRef('others.tenantId', '=', 'AuditRecords.tenantId'),
        ),
      ]),
    )
    .execute();
}
