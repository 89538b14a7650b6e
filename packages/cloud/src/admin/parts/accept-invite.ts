/**
 * Accepts invites. Checks that the invite is still valid and that there is room, and adds the
 * membership or right it grants. `waiting-invites.ts` checks who may accept it.
 */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { authorize, type Target } from '../../rights/authorize.ts';
import { type Names, namesOfUser } from '../../tables/accounts/names-of-person.ts';
import { getLedger } from '../../tables/ledgers/ledger-rows.ts';
import { upsertLedgerUser } from '../../tables/ledgers/ledger-users.ts';
import { timestamp } from '../../tables/new-row.ts';
import type { InviteTicket } from '../../tables/schema.ts';
import { forgetEnded, staleInvites } from '../../tables/tenants/ended-access.ts';
import { getInvite, revokeInvites, updatePendingInvite } from '../../tables/tenants/invite-tickets.ts';
import { lockTenant } from '../../tables/tenants/tenant-rows.ts';
import { GUEST, getMember, insertMember, updateMember } from '../../tables/tenants/tenant-users.ts';
import { recordAction } from '../audit.ts';
import type { UserContext } from '../handler.ts';
import { readParams } from './describe-invite.ts';
import { normalEmail } from './email-address.ts';
import { beginMembership } from './end-membership.ts';
import { requireRoom, requireShareRoom } from './require-room.ts';

/**
 * Accepts an invite that is pending for the caller. The lock on the tenant's row stops others from
 * changing memberships before this transaction ends. Requests that revoke or reject an invite
 * don't take this lock.
 * @throws FixpointError NOT_FOUND, LIMIT_REACHED or INVITE_ENDED before it writes anything;
 * CONFLICT after it has written
 */
export async function acceptInvite(context: UserContext, { inviteId }: InviteTicket): Promise<InviteTicket> {
  const { db, caller, person, now } = context;
  const { userId } = caller;
  const at = timestamp(now);
  const ticket = await holdPending(context, inviteId, at);
  const target = await targetOf(context, ticket);
  const names = await namesOfUser(db, userId, person.emailVerified ? normalEmail(person.email) : undefined);
  await requireStanding(context, ticket, target, names);
  await (target.ledgerId === undefined ? joinTenant : joinLedger)(context, ticket, target, names, at);
  const outcome = { status: 'accepted', statusReason: `accepted: ${userId}`, invitedUserId: userId };
  const accepted = await updatePendingInvite(db, inviteId, outcome, at);
  // A parallel request ended the invite. Callers must rethrow this error, so that the writes above
  // are rolled back.
  if (accepted === undefined) throw new FixpointError('CONFLICT', 'the invite changed at the same time');
  // Otherwise a second invite to the same tenant or ledger would stay pending.
  await revokeInvites(db, target, { to: names }, `superseded: ${inviteId}`, at);
  await recordAction(context, 'reqRedeemInvite', target, { inviteId });
  return accepted;
}

/** Locks the tenant's row, then checks that the invite is still pending. */
async function holdPending({ db }: UserContext, inviteId: string, at: string): Promise<InviteTicket> {
  const found = await getInvite(db, inviteId);
  if (found?.invitedTenantId == null || (await lockTenant(db, found.invitedTenantId, at)) === undefined)
    throw new FixpointError('NOT_FOUND');
  const ticket = await getInvite(db, inviteId);
  if (ticket === undefined) throw new FixpointError('NOT_FOUND');
  if (ticket.status !== 'pending') throw new FixpointError('INVITE_ENDED');
  return ticket;
}

async function targetOf({ db }: UserContext, { invitedTenantId, invitedLedgerId }: InviteTicket) {
  const tenantId = invitedTenantId ?? '';
  if (invitedLedgerId === null) return { tenantId };
  if ((await getLedger(db, invitedLedgerId)) === undefined) throw new FixpointError('NOT_FOUND');
  return { tenantId, ledgerId: invitedLedgerId };
}

/**
 * Requires that the inviter may still invite. If the invited person once lost access to the tenant
 * or ledger, the invite must be newer than that loss.
 */
async function requireStanding(
  { db }: UserContext,
  { inviteId, inviterUserId }: InviteTicket,
  target: Target,
  names: Names,
): Promise<void> {
  const { tenantId } = target;
  try {
    await authorize(db, { userId: inviterUserId }, 'invites:manage', { tenantId });
  } catch (cause) {
    if (!isFixpointError(cause, 'NOT_FOUND') && !isFixpointError(cause, 'FORBIDDEN')) throw cause;
    throw new FixpointError('INVITE_ENDED', 'the sender may no longer invite', { cause });
  }
  if ((await staleInvites(db, target, names)).has(inviteId)) throw new FixpointError('INVITE_ENDED');
}

/** Joins the tenant. People who are already members or admins keep their role. */
async function joinTenant(
  { db, caller: { userId } }: UserContext,
  ticket: InviteTicket,
  { tenantId }: Target,
  names: Names,
  at: string,
): Promise<void> {
  const params = readParams(ticket);
  const role = 'tenant' in params ? params.tenant.role : 'member';
  const member = await getMember(db, tenantId, userId);
  if (member !== undefined && member.role !== GUEST) return;
  await requireRoom(db, tenantId, role, at);
  if (member === undefined) await insertMember(db, { tenantId, userId, role }, at);
  else await updateMember(db, tenantId, userId, { role, statusReason: 'invited' }, at);
  await beginMembership(db, { tenantId, userId }, names, at);
}

async function joinLedger(
  { db, caller: { userId } }: UserContext,
  ticket: InviteTicket,
  { tenantId, ledgerId = '' }: Target,
  names: Names,
  at: string,
): Promise<void> {
  const params = readParams(ticket);
  const { role, right } = 'ledger' in params ? params.ledger : ({ role: 'member', right: 'read' } as const);
  const member = await getMember(db, tenantId, userId);
  if (member !== undefined && member.role !== GUEST) return;
  await requireShareRoom(db, { tenantId, ledgerId }, { userId, isInvited: true }, at);
  if (member === undefined) await insertMember(db, { tenantId, userId, role: GUEST }, at);
  await upsertLedgerUser(db, { ledgerId, userId, role, right }, at);
  await forgetEnded(db, { tenantId, ledgerId }, names);
}
