import { FixpointError } from '@fixpoint/protocol';
import { getLedger } from '../tables/ledgers/ledger-rows.ts';
import { timestamp } from '../tables/new-row.ts';
import { updatePendingInvite } from '../tables/tenants/invite-tickets.ts';
import { recordAction } from './audit.ts';
import { describeInvite } from './describe-invite.ts';
import type { Handler } from './handler.ts';
import { waitingFor } from './waiting-invites.ts';

/** Rejects an invite for the user whom it names; to all others it doesn't exist. */
export const rejectInvite: Handler<'reqRejectInvite'> = {
  run: async (context, { inviteId }) => {
    const { db, caller, now } = context;
    const at = timestamp(now);
    if (!(await waitingFor(context)).some((invite) => invite.inviteId === inviteId))
      throw new FixpointError('NOT_FOUND');
    const outcome = { status: 'rejected', statusReason: `rejected: ${caller.userId}` };
    const invite = await updatePendingInvite(db, inviteId, outcome, at);
    if (invite === undefined) throw new FixpointError('NOT_FOUND');
    const { invitedTenantId, invitedLedgerId } = invite;
    const ofLedger = invitedLedgerId === null ? undefined : await getLedger(db, invitedLedgerId);
    const tenantId = invitedTenantId ?? ofLedger?.tenantId;
    if (tenantId !== undefined) await recordAction(context, 'reqRejectInvite', { tenantId }, { inviteId });
    return { invite: describeInvite(invite) };
  },
};
