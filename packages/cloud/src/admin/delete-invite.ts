import { timestamp } from '../tables/new-row.ts';
import { getInvite, removeInvite, updatePendingInvite } from '../tables/tenants/invite-tickets.ts';
import type { Handler } from './handler.ts';

/**
 * Revokes a pending invite, which stays in the list as revoked, or removes an ended one from the
 * list.
 */
export const deleteInvite: Handler<'reqDeleteInvite'> = {
  target: async ({ inviteId }, db) => {
    const invite = await getInvite(db, inviteId);
    return invite?.invitedTenantId == null ? undefined : { tenantId: invite.invitedTenantId };
  },
  run: async ({ db, caller, now }, { inviteId }) => {
    const outcome = { status: 'revoked', statusReason: `revoked: ${caller.userId}` };
    const revoked = await updatePendingInvite(db, inviteId, outcome, timestamp(now));
    if (revoked === undefined) await removeInvite(db, inviteId);
    return { inviteId };
  },
};
