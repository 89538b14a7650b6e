import { FixpointError } from '@fixpoint/protocol';
import { timestamp } from '../tables/new-row.ts';
import { lockTenant } from '../tables/tenants/tenant-rows.ts';
import { getMember } from '../tables/tenants/tenant-users.ts';
import { endShare } from './end-membership.ts';
import type { Handler } from './handler.ts';

export const unshareLedger: Handler<'reqUnshareLedger'> = {
  target: ({ ledger }) => ledger,
  run: async ({ db, caller, now }, { ledger: { tenantId, ledgerId }, userId }) => {
    const at = timestamp(now);
    await lockTenant(db, tenantId, at);
    const member = await getMember(db, tenantId, userId);
    if (member === undefined) throw new FixpointError('NOT_FOUND');
    if (member.role === 'admin') throw new FixpointError('CONFLICT', 'an admin may do everything');
    await endShare(db, ledgerId, member, caller.userId, at);
    return { ledgerId, userId };
  },
};
