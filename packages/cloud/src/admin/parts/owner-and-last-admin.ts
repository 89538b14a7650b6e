/** Ensures that a tenant keeps its owner and its last admin. */
import { FixpointError } from '@fixpoint/protocol';
import { isActiveUser } from '../../tables/accounts/user-rows.ts';
import type { Connection } from '../../tables/connection.ts';
import type { Tenant, TenantUser } from '../../tables/schema.ts';
import { countActingAdmins } from '../../tables/tenants/tenant-users.ts';

/**
 * Requires that the user doesn't own the tenant.
 * @param first what the owner must do with the tenant first, for the text of the error
 * @throws FixpointError CONFLICT
 */
export function requireNotOwner({ ownerUserId }: Tenant, userId: string, first: string): void {
  if (userId === ownerUserId) throw new FixpointError('CONFLICT', `the owner must ${first} the tenant first`);
}

/**
 * Requires another admin who can act. The caller holds the lock on the tenant's row.
 * @throws FixpointError CONFLICT when the user is the last admin who can act
 */
export async function requireNotLastAdmin(
  db: Connection,
  { tenantId, userId, role }: TenantUser,
): Promise<void> {
  if (role !== 'admin' || !(await isActiveUser(db, userId))) return;
  if ((await countActingAdmins(db, tenantId)) <= 1)
    throw new FixpointError('CONFLICT', 'a tenant needs an admin');
}
