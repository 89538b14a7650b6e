import { type Kysely, sql } from 'kysely';

/**
 * Creates the table of people who left a tenant or lost a ledger, so that earlier invites don't
 * restore their access. Also makes the first admin of a tenant its owner if the owner is no longer
 * an admin, because removed members used to stay owners.
 */
// biome-ignore lint/suspicious/noExplicitAny: the type describes the latest schema, which may not exist yet when a migration runs
export async function endedAccess(db: Kysely<any>): Promise<void> {
  await db.schema
    .createTable('EndedAccess')
    .addColumn('tenantId', 'text', (c) => c.notNull())
    .addColumn('ledgerId', 'text', (c) => c.notNull())
    .addColumn('who', 'text', (c) => c.notNull())
    .addColumn('staleInvites', 'text', (c) => c.notNull())
    .addColumn('endedAt', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('EndedAccess_pk', ['tenantId', 'ledgerId', 'who'])
    .execute();
  const admins = sql`select m."userId" from "TenantUsers" m where m."tenantId" = "Tenants"."tenantId" and m."role" = 'admin' and m."status" = 'active'`;
  await sql`update "Tenants" set "ownerUserId" = (${admins} order by m."createdAt", m."userId" limit 1) where "ownerUserId" not in (${admins}) and exists (${admins})`.execute(
    db,
  );
}
