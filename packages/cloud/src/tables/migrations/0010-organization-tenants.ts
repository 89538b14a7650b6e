import type { Kysely } from 'kysely';

/**
 * Creates the table that links organisations of an identity provider to tenants. Deleting a tenant
 * deletes its link.
 */
// biome-ignore lint/suspicious/noExplicitAny: the type describes the latest schema, which may not exist yet when a migration runs
export async function organizationTenants(db: Kysely<any>): Promise<void> {
  await db.schema
    .createTable('OrganizationTenants')
    .addColumn('provider', 'text', (c) => c.notNull())
    .addColumn('organizationId', 'text', (c) => c.notNull())
    .addColumn('tenantId', 'text', (c) => c.notNull())
    .addColumn('createdAt', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('OrganizationTenants_pk', ['provider', 'organizationId'])
    .execute();
}
