import { FixpointError } from '@fixpoint/protocol';
import { authorize } from '../rights/authorize.ts';
import { timestamp } from '../tables/new-row.ts';
import { lockTenant } from '../tables/tenants/tenant-rows.ts';
import { getMember } from '../tables/tenants/tenant-users.ts';
import { endMembership } from './end-membership.ts';
import type { Handler } from './handler.ts';
import { requireNotLastAdmin } from './require-room.ts';

/**
 * Removes a member: members may leave, and admins may remove others. The owner and the last admin
 * stay.
 */
export const removeMember: Handler<'reqRemoveMember'> = {
  target: ({ tenantId }) => ({ tenantId }),
  run: async ({ db, caller, now }, { tenantId, userId = caller.userId }) => {
    const at = timestamp(now);
    // When two admins leave at once, the second sees that the first is gone.
    const tenant = await lockTenant(db, tenantId, at);
    if (userId !== caller.userId) await authorize(db, caller, 'members:manage', { tenantId });
    const member = await getMember(db, tenantId, userId);
    if (tenant === undefined || member === undefined) throw new FixpointError('NOT_FOUND');
    await requireNotLastAdmin(db, member);
    if (userId === tenant.ownerUserId)
      throw new FixpointError('CONFLICT', 'the owner hands the tenant over or deletes it first');
    await endMembership(db, member, caller.userId, at);
    return { tenantId, userId };
  },
};
