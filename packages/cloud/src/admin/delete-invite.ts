import { getInvite, removeInvite } from '../tables/invite-tickets.ts';
import type { Handler } from './handler.ts';

export const deleteInvite: Handler<'reqDeleteInvite'> = {
  requires: 'invites:manage',
  target: async ({ inviteId }, db) => {
    const invite = await getInvite(db, inviteId);
    return invite?.invitedTenantId == null ? undefined : { tenantId: invite.invitedTenantId };
  },
  run: async ({ db }, { inviteId }) => {
    await removeInvite(db, inviteId);
    return { inviteId };
  },
};
