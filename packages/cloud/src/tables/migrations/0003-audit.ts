import type { Kysely } from 'kysely';

/**
 * Creates the table of audit records, and an index of invites by ledger. The table has no foreign
 * keys, because records outlive their tenants and users.
 */
// biome-ignore lint/suspicious/noExplicitAny: the type describes the latest schema, which may not exist yet when a migration runs
export async function audit(db: Kysely<any>): Promise<void> {
  await db.schema
    .createTable('AuditRecords')
    .addColumn('tenantId', 'text', (c) => c.notNull())
    .addColumn('seq', 'integer', (c) => c.notNull())
    .addColumn('createdAt', 'text', (c) => c.notNull())
    .addColumn('userId', 'text', (c) => c.notNull())
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('ledgerId', 'text')
    .addColumn('detail', 'text', (c) => c.notNull())
    .addColumn('origin', 'text')
    .addPrimaryKeyConstraint('AuditRecords_pk', ['tenantId', 'seq'])
    .execute();
  await db.schema.createIndex('InviteTickets_ledger').on('InviteTickets').column('invitedLedgerId').execute();
}
