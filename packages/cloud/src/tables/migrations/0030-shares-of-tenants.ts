import type { Kysely } from 'kysely';

/** Stores the limit of shares that an operator sets for all databases of a tenant. */
// biome-ignore lint/suspicious/noExplicitAny: the type describes the latest schema, which may not exist yet when a migration runs
export async function sharesOfTenants(db: Kysely<any>): Promise<void> {
  await db.schema.alterTable('Tenants').addColumn('maxShares', 'integer').execute();
}
