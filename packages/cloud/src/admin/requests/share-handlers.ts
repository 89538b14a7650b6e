import { FixpointError } from '@fixpoint/protocol';
import type { Share } from '@fixpoint/protocol/admin';
import { getLedger } from '../../tables/ledgers/ledger-rows.ts';
import { listShares, type ShareRow, upsertLedgerUser } from '../../tables/ledgers/ledger-users.ts';
import { timestamp } from '../../tables/new-row.ts';
import { expireOverdue, listInvitesToLedger } from '../../tables/tenants/invite-tickets.ts';
import { lockTenant } from '../../tables/tenants/tenant-rows.ts';
import { getMember } from '../../tables/tenants/tenant-users.ts';
import type { Handlers } from '../handler.ts';
import { requirePerson } from '../parts/application-user.ts';
import { describeToAdmins } from '../parts/describe-invite.ts';
import { roleOf } from '../parts/describe-tenant.ts';
import { endShare } from '../parts/end-membership.ts';
import { withNames } from '../parts/member-names.ts';
import { pageOf } from '../parts/page-of.ts';
import { requireShareRoom } from '../parts/require-room.ts';

export const shareHandlers = {
  reqShareLedger: {
    revokes: true,
    target: ({ ledger }) => ledger,
    run: async ({ db, now }, { ledger: { tenantId, ledgerId }, userId, right = 'read' }) => {
      const at = timestamp(now);
      // Without the lock, a member who is removed at the same time would keep their share.
      await lockTenant(db, tenantId, at);
      await requirePerson(db, userId);
      const member = await getMember(db, tenantId, userId);
      if (member === undefined) throw new FixpointError('NOT_FOUND');
      if (member.role === 'admin') throw new FixpointError('CONFLICT', 'admins have full access already');
      await requireShareRoom(db, { tenantId, ledgerId }, { userId }, at);
      await upsertLedgerUser(db, { ledgerId, userId, role: 'member', right }, at);
      const own = (await listShares(db, ledgerId)).filter((one) => one.userId === userId);
      const [row] = await withNames(db, own);
      if (row === undefined) throw new FixpointError('NOT_FOUND');
      return { ledgerId, share: describeShare(row) };
    },
  },
  reqUnshareLedger: {
    revokes: true,
    target: ({ ledger }) => ledger,
    run: async ({ db, caller, now }, { ledger: { tenantId, ledgerId }, userId }) => {
      const at = timestamp(now);
      await lockTenant(db, tenantId, at);
      await requirePerson(db, userId);
      const member = await getMember(db, tenantId, userId);
      if (member === undefined) throw new FixpointError('NOT_FOUND');
      if (member.role === 'admin') throw new FixpointError('CONFLICT', 'admins have full access already');
      await endShare(db, ledgerId, member, caller.userId, at);
      return { ledgerId, userId };
    },
  },
  reqListShares: {
    target: ({ ledger }) => ledger,
    run: async ({ db, now }, { ledger: { ledgerId }, ended = false, ...page }) => {
      await expireOverdue(db, timestamp(now));
      const ledger = await getLedger(db, ledgerId);
      if (ledger === undefined) throw new FixpointError('NOT_FOUND');
      const { items, ...more } = pageOf(await listShares(db, ledgerId, ended), ({ userId }) => userId, page);
      const shares = (await withNames(db, items)).map(describeShare);
      const invites = page.after === undefined ? await listInvitesToLedger(db, ledgerId) : [];
      const tickets = await describeToAdmins(db, invites);
      return { ledgerId, maxShares: ledger.maxShares, shares, tickets, ...more };
    },
  },
} satisfies Partial<Handlers>;

const describeShare = ({ role, right, name, email, ...row }: ShareRow): Share => ({
  ...row,
  role: roleOf(role),
  right: right === 'write' ? 'write' : 'read',
  ...(name !== null && { name }),
  ...(email !== null && { email }),
});
