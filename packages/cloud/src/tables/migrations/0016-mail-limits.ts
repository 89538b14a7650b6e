import type { Kysely } from 'kysely';

/**
 * Creates the tables of mail counts by recipient and sender, and of mailboxes that refuse mail.
 * Addresses are stored as hashes.
 */
// biome-ignore lint/suspicious/noExplicitAny: the type describes the latest schema, which may not exist yet when a migration runs
export async function mailLimits(db: Kysely<any>): Promise<void> {
  await db.schema
    .createTable('MailCounts')
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('period', 'text', (c) => c.notNull())
    .addColumn('count', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('MailCounts_pk', ['subject', 'period'])
    .execute();
  await db.schema.createIndex('MailCounts_period').on('MailCounts').column('period').execute();
  await db.schema
    .createTable('MailRefusals')
    .addColumn('mailbox', 'text', (c) => c.primaryKey())
    .addColumn('refusedAt', 'text', (c) => c.notNull())
    .execute();
}
