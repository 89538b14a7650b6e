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
  await db.schema
    .createIndex('ApplicationGrants_applicationId')
    .on('ApplicationGrants')
    .column('applicationId')
    .execute();
  await db.schema
    .createIndex('ApplicationOrigins_applicationId')
    .on('ApplicationOrigins')
    .column('applicationId')
    .execute();
  await db.schema
    .createIndex('ApplicationCodes_expiresAt')
    .on('ApplicationCodes')
    .column('expiresAt')
    .execute();
  await db.schema.createIndex('ApplicationCodes_userId').on('ApplicationCodes').column('userId').execute();
  await db.schema
    .createIndex('ApplicationCodes_applicationId')
    .on('ApplicationCodes')
    .column('applicationId')
    .execute();
  await db.schema
    .createIndex('ApplicationSessions_tenantId')
    .on('ApplicationSessions')
    .column('tenantId')
    .execute();
  await db.schema
    .createIndex('ApplicationSessions_expiresAt')
    .on('ApplicationSessions')
    .column('expiresAt')
    .execute();
}
