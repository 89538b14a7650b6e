import { FixpointError } from '@fixpoint/protocol';
import { authorize } from '../rights/authorize.ts';
import { timestamp } from '../tables/new-row.ts';
import { countMembers, getMember, removeMember as remove } from '../tables/tenant-users.ts';
import { lockTenant } from '../tables/tenants.ts';
import type { Handler } from './handler.ts';

/** Everybody may leave, and admins remove others; the last admin stays one. */
export const removeMember: Handler<'reqRemoveMember'> = {
  requires: 'tenant:read',
  target: ({ tenantId }) => ({ tenantId }),
  run: async ({ db, caller, now }, { tenantId, userId = caller.userId }) => {
    if (userId !== caller.userId) await authorize(db, caller, 'members:manage', { tenantId });
    // Of two admins who leave at once the second one sees that the first is gone.
    await lockTenant(db, tenantId, timestamp(now));
    const member = await getMember(db, tenantId, userId);
    if (member === undefined) throw new FixpointError('NOT_FOUND');
    if (member.role === 'admin' && (await countMembers(db, tenantId, 'admin')) <= 1)
      throw new FixpointError('CONFLICT', 'the last admin stays one');
    await remove(db, tenantId, userId);
    return { tenantId, userId };
  },
};
