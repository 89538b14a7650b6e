import type { Kysely } from 'kysely';

/**
 * Limits each permission to one origin of its application. Earlier permissions don't say for which
 * origin a user gave them, so users are asked once more. Adds indexes for the jobs that end
 * sessions.
 */
// biome-ignore lint/suspicious/noExplicitAny: the type describes the latest schema, which may not exist yet when a migration runs
export async function grantsForOrigins(db: Kysely<any>): Promise<void> {
  await db.schema.dropTable('ApplicationGrants').execute();
  await db.schema
    .createTable('ApplicationGrants')
    .addColumn('userId', 'text', (c) => c.notNull())
    .addColumn('applicationId', 'text', (c) => c.notNull())
    .addColumn('origin', 'text', (c) => c.notNull())
    .addColumn('createdAt', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('ApplicationGrants_pk', ['userId', 'applicationId', 'origin'])
    .execute();
  for (const [table, column] of [
    ['ApplicationGrants', 'applicationId'],
    ['ApplicationOrigins', 'applicationId'],
    ['ApplicationCodes', 'expiresAt'],
    ['ApplicationCodes', 'userId'],
    ['ApplicationCodes', 'applicationId'],
    ['ApplicationSessions', 'tenantId'],
    ['ApplicationSessions', 'expiresAt'],
  ] as const)
    await db.schema.createIndex(`${table}_${column}`).on(table).column(column).execute();
}
