import type { Kysely } from 'kysely';

/** Creates the table of used one-time codes, so that no code works twice while it is valid. */
// biome-ignore lint/suspicious/noExplicitAny: the type describes the latest schema, which may not exist yet when a migration runs
export async function usedCodes(db: Kysely<any>): Promise<void> {
  await db.schema
    .createTable('UsedCodes')
    .addColumn('hash', 'text', (c) => c.primaryKey())
    .addColumn('usedAt', 'text', (c) => c.notNull())
    .execute();
}
