import type { Kysely } from 'kysely';

/** Creates the tables of applications that sign in their own users. */
// biome-ignore lint/suspicious/noExplicitAny: the type describes the latest schema, which may not exist yet when a migration runs
export async function applications(db: Kysely<any>): Promise<void> {
  await db.schema
    .createTable('Applications')
    .addColumn('applicationId', 'text', (c) => c.primaryKey())
    .addColumn('tenantId', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('origins', 'text', (c) => c.notNull())
    .addColumn('redirectUrls', 'text', (c) => c.notNull())
    .addColumn('createdAt', 'text', (c) => c.notNull())
    .addColumn('updatedAt', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('Applications_tenant').on('Applications').column('tenantId').execute();
  await db.schema
    .createTable('ApplicationOrigins')
    .addColumn('origin', 'text', (c) => c.notNull())
    .addColumn('applicationId', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('ApplicationOrigins_pk', ['origin', 'applicationId'])
    .execute();
  await db.schema
    .createTable('ApplicationGrants')
    .addColumn('userId', 'text', (c) => c.notNull())
    .addColumn('applicationId', 'text', (c) => c.notNull())
    .addColumn('createdAt', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('ApplicationGrants_pk', ['userId', 'applicationId'])
    .execute();
  await db.schema
    .createTable('ApplicationCodes')
    .addColumn('hash', 'text', (c) => c.primaryKey())
    .addColumn('applicationId', 'text', (c) => c.notNull())
    .addColumn('userId', 'text', (c) => c.notNull())
    .addColumn('redirectUrl', 'text', (c) => c.notNull())
    .addColumn('challenge', 'text', (c) => c.notNull())
    .addColumn('sessionId', 'text')
    .addColumn('expiresAt', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('ApplicationSessions')
    .addColumn('sessionId', 'text', (c) => c.primaryKey())
    .addColumn('applicationId', 'text', (c) => c.notNull())
    .addColumn('tenantId', 'text', (c) => c.notNull())
    .addColumn('userId', 'text', (c) => c.notNull())
    .addColumn('origin', 'text', (c) => c.notNull())
    .addColumn('familyHash', 'text', (c) => c.notNull().unique())
    .addColumn('refreshHash', 'text', (c) => c.notNull())
    .addColumn('previousHash', 'text')
    .addColumn('createdAt', 'text', (c) => c.notNull())
    .addColumn('expiresAt', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('ApplicationSessions_user')
    .on('ApplicationSessions')
    .columns(['userId', 'applicationId'])
    .execute();
  await db.schema
    .createIndex('ApplicationSessions_application')
    .on('ApplicationSessions')
    .column('applicationId')
    .execute();
}
