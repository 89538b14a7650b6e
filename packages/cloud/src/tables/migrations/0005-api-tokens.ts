import type { Kysely } from 'kysely';

/**
 * Creates the tables of API tokens, and of codes that sign devices in. Secrets are stored as their
 * hashes.
 */
// biome-ignore lint/suspicious/noExplicitAny: the type describes the latest schema, which may not exist yet when a migration runs
export async function apiTokens(db: Kysely<any>): Promise<void> {
  await db.schema
    .createTable('ApiTokens')
    .addColumn('tokenId', 'text', (c) => c.primaryKey())
    .addColumn('hash', 'text', (c) => c.notNull().unique())
    .addColumn('userId', 'text', (c) => c.notNull().references('Users.userId'))
    .addColumn('tenantId', 'text')
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('right', 'text', (c) => c.notNull())
    .addColumn('createdAt', 'text', (c) => c.notNull())
    .addColumn('expiresAt', 'text', (c) => c.notNull())
    .addColumn('lastUsedAt', 'text')
    .execute();
  await db.schema.createIndex('ApiTokens_tenant').on('ApiTokens').column('tenantId').execute();
  await db.schema.createIndex('ApiTokens_user').on('ApiTokens').column('userId').execute();
  await db.schema
    .createTable('LoginCodes')
    .addColumn('hash', 'text', (c) => c.primaryKey())
    .addColumn('userCode', 'text', (c) => c.notNull().unique())
    .addColumn('client', 'text', (c) => c.notNull())
    .addColumn('origin', 'text')
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('userId', 'text')
    .addColumn('createdAt', 'text', (c) => c.notNull())
    .addColumn('expiresAt', 'text', (c) => c.notNull())
    .execute();
}
