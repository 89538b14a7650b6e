import { FixpointError } from '@fixpoint/protocol';
import { getActiveUser, lockUser } from '../../tables/accounts/user-rows.ts';
import type { Connection } from '../../tables/connection.ts';
import type { Tenant } from '../../tables/schema.ts';
import { countTenantsOwnedBy, setOwner } from '../../tables/tenants/tenant-rows.ts';

/**
 * Transfers the tenant to one of its admins. The caller holds the lock on the tenant's row.
 * @throws FixpointError CONFLICT when the user isn't active, LIMIT_REACHED when they already own
 * their maximum of tenants
 */
export async function giveTo(db: Connection, tenant: Tenant, userId: string, at: string): Promise<Tenant> {
  if (tenant.ownerUserId === userId) return tenant;
  await lockUser(db, userId, at);
  const user = await getActiveUser(db, userId);
  if (user === undefined) throw new FixpointError('CONFLICT', 'the new owner must be active');
  if ((await countTenantsOwnedBy(db, userId)) >= user.maxTenants)
    throw new FixpointError('LIMIT_REACHED', `${user.maxTenants} tenants`);
  return setOwner(db, tenant.tenantId, userId, at);
}
