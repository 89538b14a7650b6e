import type { Kysely } from 'kysely';

/** Lets applications bring their own users along. */
// biome-ignore lint/suspicious/noExplicitAny: the type describes the latest schema, which may not exist yet when a migration runs
export async function ownUsers(db: Kysely<any>): Promise<void> {
  for (const column of ['issuer', 'jwksUrl', 'audience'])
    await db.schema.alterTable('Applications').addColumn(column, 'text').execute();
  await db.schema.alterTable('ApplicationSessions').addColumn('endsAt', 'text').execute();
  await db.schema
    .createTable('ApplicationUsers')
    .addColumn('userId', 'text', (c) => c.primaryKey().references('Users.userId'))
    .addColumn('applicationId', 'text', (c) => c.notNull())
    .addColumn('tenantId', 'text', (c) => c.notNull())
    .addColumn('issuer', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('email', 'text', (c) => c.notNull())
    .addColumn('rightsAt', 'text', (c) => c.notNull())
    .addColumn('removedAt', 'text')
    .addColumn('createdAt', 'text', (c) => c.notNull())
    .addColumn('updatedAt', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('ApplicationUsers_subject')
    .unique()
    .on('ApplicationUsers')
    .columns(['applicationId', 'issuer', 'subject'])
    .execute();
  await db.schema.createIndex('ApplicationUsers_tenant').on('ApplicationUsers').column('tenantId').execute();
}
