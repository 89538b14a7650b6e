import type { Insertable } from 'kysely';
import type { Connection } from '../connection.ts';
import type { OrganizationTenantsTable } from '../schema.ts';

/** Returns the tenant of an organisation of an identity provider. */
export async function getOrganizationTenant(
  db: Connection,
  provider: string,
  organizationId: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('OrganizationTenants')
    .select('tenantId')
    .where('provider', '=', provider)
    .where('organizationId', '=', organizationId)
    .executeTakeFirst();
  return row?.tenantId;
}

/**
 * Links an organisation to its tenant.
 * @throws an error that `isDuplicate` recognises when the organisation already has a tenant
 */
export async function insertOrganizationTenant(
  db: Connection,
  row: Omit<Insertable<OrganizationTenantsTable>, 'createdAt'>,
  at: string,
): Promise<void> {
  await db
    .insertInto('OrganizationTenants')
    .values({ ...row, createdAt: at })
    .execute();
}
