import type { Kysely } from 'kysely';

/** Creates used one-time codes, so that a code works only once while it is valid. */
// biome-ignore lint/suspicious/noExplicitAny: a migration runs before the schema that the type describes exists
export async function usedCodes(db: Kysely<any>): Promise<void> {
  await db.schema
    .createTable('UsedCodes')
    .addColumn('hash', 'text', (c) => c.primaryKey())
    .addColumn('usedAt', 'text', (c) => c.notNull())
    .execute();
}
