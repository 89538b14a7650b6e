import { FixpointError } from '@fixpoint/protocol';
import type { Role } from '@fixpoint/protocol/admin';
import { authorize } from '../../rights/authorize.ts';
import { namesOfUser } from '../../tables/accounts/names-of-person.ts';
import type { Connection } from '../../tables/connection.ts';
import { timestamp } from '../../tables/new-row.ts';
import type { Tenant, TenantUser } from '../../tables/schema.ts';
import { lockTenant } from '../../tables/tenants/tenant-rows.ts';
import { clearDefaults, GUEST, getMember, updateMember } from '../../tables/tenants/tenant-users.ts';
import type { Handlers } from '../handler.ts';
import { requirePerson } from '../parts/application-user.ts';
import { roleOf } from '../parts/describe-tenant.ts';
import { beginMembership, endInvitesBy, endMembership } from '../parts/end-membership.ts';
import { requireNotLastAdmin, requireNotOwner } from '../parts/owner-and-last-admin.ts';
import { requireRoom } from '../parts/require-room.ts';

export const membershipHandlers = {
  /**
   * Changes a membership. Members change their own name and default tenant. Admins also change the
   * roles and names of others. The owner and the last admin stay admins.
   */
  reqUpdateUserTenant: {
    revokes: true,
    target: ({ tenantId }) => ({ tenantId }),
    run: async (
      { db, caller, now },
      { tenantId, userId = caller.userId, role, name, default: isDefault },
    ) => {
      const isOwn = userId === caller.userId;
      const at = timestamp(now);
      // Keeps memberships of the tenant from changing until this transaction ends.
      const tenant = await lockTenant(db, tenantId, at);
      if (!isOwn || role !== undefined) await authorize(db, caller, 'members:manage', { tenantId });
      if (!isOwn && isDefault !== undefined)
        throw new FixpointError('REQUEST_INVALID', 'only members themselves choose their default tenant');
      await requirePerson(db, userId);
      const member = await getMember(db, tenantId, userId);
      if (tenant === undefined || member === undefined) throw new FixpointError('NOT_FOUND');
      const isOtherRole = role !== undefined && role !== member.role;
      if (isOtherRole) await changeRole(db, tenant, member, role, at);
      if (isDefault) await clearDefaults(db, userId);
      const change = {
        // An admin chose this role, so the role no longer follows the identity provider.
        ...(isOtherRole && { role, statusReason: `chosen by an admin: ${caller.userId}` }),
        ...(name !== undefined && { name }),
        ...(isDefault !== undefined && { default: isDefault ? 1 : 0 }),
      };
      const row = await updateMember(db, tenantId, userId, change, at);
      return {
        tenantId,
        userId,
        role: roleOf(row.role),
        default: Number(row.default) === 1,
        ...(row.name !== null && { name: row.name }),
      };
    },
  },
  /**
   * Removes a member. Members may leave, and admins may remove others. The owner and the last admin
   * can't be removed.
   */
  reqRemoveMember: {
    revokes: true,
    target: ({ tenantId }) => ({ tenantId }),
    run: async ({ db, caller, now }, { tenantId, userId = caller.userId }) => {
      const at = timestamp(now);
      // If two admins leave at once, the lock makes the second request wait until the first admin
      // has left.
      const tenant = await lockTenant(db, tenantId, at);
      if (userId !== caller.userId) await authorize(db, caller, 'members:manage', { tenantId });
      await requirePerson(db, userId);
      const member = await getMember(db, tenantId, userId);
      if (tenant === undefined || member === undefined) throw new FixpointError('NOT_FOUND');
      await requireNotLastAdmin(db, member);
      requireNotOwner(tenant, userId, 'transfer or delete');
      await endMembership(db, member, caller.userId, at);
      return { tenantId, userId };
    },
  },
} satisfies Partial<Handlers>;

async function changeRole(
  db: Connection,
  tenant: Tenant,
  member: TenantUser,
  role: Role,
  at: string,
): Promise<void> {
  const { tenantId, userId } = member;
  await requireRoom(db, tenantId, role, at);
  if (role === 'member') {
    await requireNotLastAdmin(db, member);
    if (member.role === 'admin') requireNotOwner(tenant, userId, 'transfer');
    await endInvitesBy(db, tenantId, userId, at);
  }
  if (member.role === GUEST)
    await beginMembership(db, { tenantId, userId }, await namesOfUser(db, userId), at);
}
