import type { Kysely } from 'kysely';

/** Creates the table of removed ledgers whose objects must still be deleted. */
// biome-ignore lint/suspicious/noExplicitAny: the type describes the latest schema, which may not exist yet when a migration runs
export async function removedLedgers(db: Kysely<any>): Promise<void> {
  await db.schema
    .createTable('RemovedLedgers')
    .addColumn('ledgerId', 'text', (c) => c.primaryKey())
    .addColumn('tenantId', 'text', (c) => c.notNull())
    .addColumn('removedAt', 'text', (c) => c.notNull())
    .execute();
}
