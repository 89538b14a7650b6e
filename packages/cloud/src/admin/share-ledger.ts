import { FixpointError } from '@fixpoint/protocol';
import { listShares, upsertLedgerUser } from '../tables/ledgers/ledger-users.ts';
import { timestamp } from '../tables/new-row.ts';
import { lockTenant } from '../tables/tenants/tenant-rows.ts';
import { getMember } from '../tables/tenants/tenant-users.ts';
import { describeShare } from './describe-share.ts';
import type { Handler } from './handler.ts';
import { requireShareRoom } from './require-room.ts';
import { withNames } from './with-names.ts';

export const shareLedger: Handler<'reqShareLedger'> = {
  target: ({ ledger }) => ledger,
  run: async ({ db, now }, { ledger: { tenantId, ledgerId }, userId, right = 'read' }) => {
    const at = timestamp(now);
    // Otherwise a member who is being removed at this moment would keep a row.
    await lockTenant(db, tenantId, at);
    const member = await getMember(db, tenantId, userId);
    if (member === undefined) throw new FixpointError('NOT_FOUND');
    if (member.role === 'admin') throw new FixpointError('CONFLICT', 'an admin may do everything');
    await requireShareRoom(db, { tenantId, ledgerId }, { userId }, at);
    await upsertLedgerUser(db, { ledgerId, userId, role: 'member', right }, at);
    const own = (await listShares(db, ledgerId)).filter((one) => one.userId === userId);
    const [row] = await withNames(db, own);
    if (row === undefined) throw new FixpointError('NOT_FOUND');
    return { ledgerId, share: describeShare(row) };
  },
};
