import { FixpointError } from '@fixpoint/protocol';
import type { Role } from '@fixpoint/protocol/admin';
import type { Connection } from '../tables/database.ts';
import { listShares } from '../tables/ledger-users.ts';
import { getLedger } from '../tables/ledgers.ts';
import { countMembers } from '../tables/tenant-users.ts';
import { lockTenant } from '../tables/tenants.ts';

/**
 * Takes the tenant's row, so that the count stays true until the transaction ends (S6).
 * @throws FixpointError LIMIT_REACHED when one more of the role is too many; NOT_FOUND when the tenant is gone
 */
export async function requireRoom(db: Connection, tenantId: string, role: Role, at: string): Promise<void> {
  const tenant = await lockTenant(db, tenantId, at);
  if (tenant === undefined) throw new FixpointError('NOT_FOUND');
  const max = role === 'admin' ? tenant.maxAdminUsers : tenant.maxMemberUsers;
  if ((await countMembers(db, tenantId, role)) >= max)
    throw new FixpointError('LIMIT_REACHED', `${max} ${role}s`);
}

/**
 * Takes the tenant's row, so that the count stays true until the transaction ends (S6).
 * @throws FixpointError LIMIT_REACHED when the ledger is shared with as many others as it may be; NOT_FOUND when it is gone
 */
export async function requireShareRoom(
  db: Connection,
  target: { readonly tenantId: string; readonly ledgerId: string; readonly userId?: string },
  at: string,
): Promise<void> {
  const tenant = await lockTenant(db, target.tenantId, at);
  const ledger = await getLedger(db, target.ledgerId);
  if (tenant === undefined || ledger === undefined) throw new FixpointError('NOT_FOUND');
  const shares = await listShares(db, target.ledgerId);
  const others = shares.filter(({ userId }) => userId !== target.userId);
  if (others.length >= ledger.maxShares)
    throw new FixpointError('LIMIT_REACHED', `${ledger.maxShares} shares`);
}
