import type { Kysely } from 'kysely';

/** Counts requests and storage of tenants by day, and stores the links of invites as hashes. */
// biome-ignore lint/suspicious/noExplicitAny: the type describes the latest schema, which may not exist yet when a migration runs
export async function usageAndInviteLinks(db: Kysely<any>): Promise<void> {
  await db.schema
    .alterTable('TenantTraffic')
    .addColumn('requests', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('TenantTraffic').addColumn('stored', 'bigint').execute();
  await db.schema
    .createTable('InviteLinks')
    .addColumn('inviteId', 'text', (c) =>
      c.primaryKey().references('InviteTickets.inviteId').onDelete('cascade'),
    )
    .addColumn('hash', 'text', (c) => c.notNull().unique())
    .addColumn('createdAt', 'text', (c) => c.notNull())
    .execute();
}
