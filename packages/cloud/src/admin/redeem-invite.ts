import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { Invite } from '@fixpoint/protocol/admin';
import type { Target } from '../rights/authorize.ts';
import { updatePendingInvite } from '../tables/invite-tickets.ts';
import { upsertLedgerUser } from '../tables/ledger-users.ts';
import { getLedger } from '../tables/ledgers.ts';
import { timestamp } from '../tables/new-row.ts';
import type { InviteTicket } from '../tables/schema.ts';
import { GUEST, getMember, insertMember, updateMember } from '../tables/tenant-users.ts';
import { lockTenant } from '../tables/tenants.ts';
import { recordAction } from './audit.ts';
import { describeInvite, type InvitedParams, readParams } from './describe-invite.ts';
import type { Handler, UserContext } from './handler.ts';
import { requireRoom, requireShareRoom } from './require-room.ts';
import { waitingFor } from './waiting-invites.ts';

export const redeemInvite: Handler<'reqRedeemInvite'> = {
  requires: 'user:active',
  run: async (context, { inviteId }) => ({
    invites: await redeemInvites(context, (ticket) => inviteId === undefined || ticket.inviteId === inviteId),
  }),
};

/** Accepts those of the invites that wait for the caller which are meant. */
export async function redeemInvites(
  context: UserContext,
  isMeant: (ticket: InviteTicket) => boolean,
): Promise<Invite[]> {
  const accepted: Invite[] = [];
  for (const ticket of (await waitingFor(context)).filter(isMeant)) {
    const invite = await accept(context, ticket);
    if (invite !== undefined) accepted.push(describeInvite(invite));
  }
  return accepted;
}

async function accept(context: UserContext, ticket: InviteTicket): Promise<InviteTicket | undefined> {
  const { db, caller, now } = context;
  const { userId } = caller;
  const { inviteId } = ticket;
  const at = timestamp(now);
  try {
    const target = await join(context, readParams(ticket), at);
    await recordAction(context, 'reqRedeemInvite', target, { inviteId });
  } catch (cause) {
    // A full tenant leaves the invite pending: it can be redeemed when there is room.
    if (isFixpointError(cause, 'LIMIT_REACHED') || isFixpointError(cause, 'NOT_FOUND')) return undefined;
    throw cause;
  }
  const outcome = { status: 'accepted', statusReason: `accepted: ${userId}`, invitedUserId: userId };
  return updatePendingInvite(db, inviteId, outcome, at);
}

/** What the caller is already stays; an invite never takes a right away. With the tenant's row in hand he is nothing else a moment later. */
async function join({ db, caller }: UserContext, params: InvitedParams, at: string): Promise<Target> {
  const { userId } = caller;
  if ('tenant' in params) {
    const { id: tenantId, role } = params.tenant;
    await lockTenant(db, tenantId, at);
    const member = await getMember(db, tenantId, userId);
    if (member !== undefined && member.role !== GUEST) return { tenantId };
    await requireRoom(db, tenantId, role, at);
    if (member === undefined) await insertMember(db, { tenantId, userId, role }, at);
    else await updateMember(db, tenantId, userId, { role }, at);
    return { tenantId };
  }
  const { id: ledgerId, role, right } = params.ledger;
  const tenantId = (await getLedger(db, ledgerId))?.tenantId;
  if (tenantId === undefined) throw new FixpointError('NOT_FOUND');
  await lockTenant(db, tenantId, at);
  const member = await getMember(db, tenantId, userId);
  if (member !== undefined && member.role !== GUEST) return { tenantId, ledgerId };
  await requireShareRoom(db, { tenantId, ledgerId }, { userId, isInvited: true }, at);
  if (member === undefined) await insertMember(db, { tenantId, userId, role: GUEST }, at);
  await upsertLedgerUser(db, { ledgerId, userId, role, right }, at);
  return { tenantId, ledgerId };
}
