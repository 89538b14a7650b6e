import { FixpointError } from '@fixpoint/protocol';
import { endLedgerUser, hasShares } from '../tables/ledger-users.ts';
import { timestamp } from '../tables/new-row.ts';
import { GUEST, getMember, removeMember } from '../tables/tenant-users.ts';
import { lockTenant } from '../tables/tenants.ts';
import type { Handler } from './handler.ts';

export const unshareLedger: Handler<'reqUnshareLedger'> = {
  requires: 'ledger:share',
  target: ({ ledger }) => ledger,
  run: async ({ db, now }, { ledger: { tenantId, ledgerId }, userId }) => {
    const at = timestamp(now);
    await lockTenant(db, tenantId, at);
    const member = await getMember(db, tenantId, userId);
    if (member === undefined) throw new FixpointError('NOT_FOUND');
    if (member.role === 'admin') throw new FixpointError('CONFLICT', 'an admin may do everything');
    await endLedgerUser(db, ledgerId, userId, at);
    if (member.role === GUEST && !(await hasShares(db, tenantId, userId)))
      await removeMember(db, tenantId, userId);
    return { ledgerId, userId };
  },
};
