import { isFixpointError } from '@fixpoint/protocol';
import type { Invite } from '@fixpoint/protocol/admin';
import { expireOverdue, listPendingInvitesFor, updatePendingInvite } from '../tables/invite-tickets.ts';
import { timestamp } from '../tables/new-row.ts';
import type { InviteTicket } from '../tables/schema.ts';
import { getMember, insertMember } from '../tables/tenant-users.ts';
import { describeInvite, readParams } from './describe-invite.ts';
import { normalEmail } from './email.ts';
import type { Handler, UserContext } from './handler.ts';
import { requireRoom } from './require-room.ts';

export const redeemInvite: Handler<'reqRedeemInvite'> = {
  requires: 'user:active',
  run: async (context) => ({ invites: await redeemInvites(context) }),
};

/**
 * Accepts the caller's pending invites. One that names an address is for whoever proved to own exactly that address: an address that somebody only typed when
 * he signed up is not enough.
 */
export async function redeemInvites(context: UserContext): Promise<Invite[]> {
  const { db, caller, person, now } = context;
  await expireOverdue(db, timestamp(now));
  const email = person.emailVerified ? normalEmail(person.email) : undefined;
  const waiting = await listPendingInvitesFor(db, caller.userId, email);
  const accepted: Invite[] = [];
  for (const ticket of waiting) {
    const invite = await accept(context, ticket);
    if (invite !== undefined) accepted.push(describeInvite(invite));
  }
  return accepted;
}

async function accept(
  { db, caller, now }: UserContext,
  ticket: InviteTicket,
): Promise<InviteTicket | undefined> {
  const { tenant } = readParams(ticket);
  const { userId } = caller;
  const at = timestamp(now);
  if ((await getMember(db, tenant.id, userId)) === undefined) {
    try {
      await requireRoom(db, tenant.id, tenant.role, at);
    } catch (cause) {
      // A full tenant leaves the invite pending: it can be redeemed when there is room.
      if (isFixpointError(cause, 'LIMIT_REACHED') || isFixpointError(cause, 'NOT_FOUND')) return undefined;
      throw cause;
    }
    await insertMember(db, { tenantId: tenant.id, userId, role: tenant.role }, at);
  }
  const outcome = { status: 'accepted', statusReason: `accepted: ${userId}`, invitedUserId: userId };
  return updatePendingInvite(db, ticket.inviteId, outcome, at);
}
