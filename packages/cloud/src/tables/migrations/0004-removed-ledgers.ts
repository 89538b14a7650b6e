import type { Kysely } from 'kysely';

/** Creates the table of removed ledgers whose objects must still be deleted. */
// biome-ignore lint/suspicious/noExplicitAny: a migration runs before the schema that the type describes exists
export async function removedLedgers(db: Kysely<any>): Promise<void> {
  await db.schema
    .createTable('RemovedLedgers')
    .addColumn('ledgerId', 'text', (c) => c.primaryKey())
    .addColumn('tenantId', 'text', (c) => c.notNull())
    .addColumn('removedAt', 'text', (c) => c.notNull())
    .execute();
}
