import type { Kysely } from 'kysely';

/** Creates the table of values that all processes of one cloud must share. */
// biome-ignore lint/suspicious/noExplicitAny: the type describes the latest schema, which may not exist yet when a migration runs
export async function cloudMarks(db: Kysely<any>): Promise<void> {
  await db.schema
    .createTable('CloudMarks')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('value', 'text', (c) => c.notNull())
    .execute();
}
