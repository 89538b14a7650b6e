import { FixpointError } from '@fixpoint/protocol';
import type { Role } from '@fixpoint/protocol/admin';
import type { Connection } from '../../tables/connection.ts';
import { getLedger } from '../../tables/ledgers/ledger-rows.ts';
import { listShares } from '../../tables/ledgers/ledger-users.ts';
import { listInvitesToLedger } from '../../tables/tenants/invite-tickets.ts';
import { lockTenant } from '../../tables/tenants/tenant-rows.ts';
import { countMembers } from '../../tables/tenants/tenant-users.ts';

/**
 * Requires room for one more member with this role. Locks the tenant's row, so the count remains
 * correct until the transaction ends (S6).
 * @throws FixpointError LIMIT_REACHED when there is no room; NOT_FOUND when the tenant was deleted
 */
export async function requireRoom(db: Connection, tenantId: string, role: Role, at: string): Promise<void> {
  const tenant = await lockTenant(db, tenantId, at);
  if (tenant === undefined) throw new FixpointError('NOT_FOUND');
  const max = role === 'admin' ? tenant.maxAdminUsers : tenant.maxMemberUsers;
  if ((await countMembers(db, tenantId, role)) >= max)
    throw new FixpointError('LIMIT_REACHED', `${max} ${role}s`);
}

/**
 * The user who needs room in a ledger. A user who already has a share doesn't need more room, so
 * their right can change even when all shares are taken.
 */
interface Sharer {
  readonly userId?: string;
  /** Whether a pending invite already reserved the room. */
  readonly isInvited?: boolean;
}

/**
 * Requires room for one more share. Locks the tenant's row, so that the count can't change until
 * the transaction ends (S6). Pending invites count as shares, so that invited users find room.
 * @throws FixpointError LIMIT_REACHED when all shares are taken; NOT_FOUND when the ledger was
 * deleted
 */
export async function requireShareRoom(
  db: Connection,
  { tenantId, ledgerId }: { readonly tenantId: string; readonly ledgerId: string },
  { userId, isInvited = false }: Sharer,
  at: string,
): Promise<void> {
  const tenant = await lockTenant(db, tenantId, at);
  const ledger = await getLedger(db, ledgerId);
  if (tenant === undefined || ledger === undefined) throw new FixpointError('NOT_FOUND');
  const shares = await listShares(db, ledgerId);
  if (shares.some((share) => share.userId === userId)) return;
  const pending = (await listInvitesToLedger(db, ledgerId)).filter(
    ({ status, expiresAfter }) => status === 'pending' && expiresAfter > at,
  );
  const taken = shares.length + (isInvited ? 0 : pending.length);
  if (taken >= ledger.maxShares) throw new FixpointError('LIMIT_REACHED', `${ledger.maxShares} shares`);
}
