import type { Kysely } from 'kysely';

/** Creates the table of the time when each user last signed out everywhere. */
// biome-ignore lint/suspicious/noExplicitAny: the type describes the latest schema, which may not exist yet when a migration runs
export async function signOuts(db: Kysely<any>): Promise<void> {
  await db.schema
    .createTable('SignOuts')
    .addColumn('userId', 'text', (c) => c.primaryKey().references('Users.userId'))
    .addColumn('endedAt', 'text', (c) => c.notNull())
    .execute();
}
