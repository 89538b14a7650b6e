import type { Kysely } from 'kysely';

/** Adds the table in which a running backup says that no object may be removed. */
// biome-ignore lint/suspicious/noExplicitAny: the type describes the latest schema, which may not exist yet when a migration runs
export async function backupLeases(db: Kysely<any>): Promise<void> {
  await db.schema
    .createTable('BackupLeases')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('holder', 'text', (c) => c.notNull())
    .addColumn('expiresAt', 'text', (c) => c.notNull())
    .execute();
}
