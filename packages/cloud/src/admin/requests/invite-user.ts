import { FixpointError, LIMITS } from '@fixpoint/protocol';
import type { CleanPayload, Query } from '@fixpoint/protocol/admin';
import { authorize } from '../../rights/authorize.ts';
import { namesOfEmail, namesOfUser } from '../../tables/accounts/names-of-person.ts';
import { isActiveUser, listProviders } from '../../tables/accounts/user-rows.ts';
import type { Connection } from '../../tables/connection.ts';
import { getLedger } from '../../tables/ledgers/ledger-rows.ts';
import { newId, timestamp } from '../../tables/new-row.ts';
import type { InviteTicket } from '../../tables/schema.ts';
import {
  countPendingInvites,
  expireOverdue,
  getInvite,
  type Invited,
  insertInvite,
  isInvited,
  updatePendingInvite,
} from '../../tables/tenants/invite-tickets.ts';
import { lockTenant } from '../../tables/tenants/tenant-rows.ts';
import { GUEST, getMember } from '../../tables/tenants/tenant-users.ts';
import type { Handlers, UserContext } from '../handler.ts';
import { requirePerson } from '../parts/application-user.ts';
import { describeInvite, type InvitedParams } from '../parts/describe-invite.ts';
import { isEmail, normalEmail } from '../parts/email-address.ts';
import { mailInvite } from '../parts/mail-invite.ts';
import { requireShareRoom } from '../parts/require-room.ts';

const DAY_MS = 86_400_000;

type Ticket = CleanPayload<'reqInviteUser'>['ticket'];

export const inviteUserHandler = {
  reqInviteUser: {
    perMinute: 60,
    target: ({ ticket }, db) => placeOf(db, ticket),
    run: async (context, { ticket }) => {
      await expireOverdue(context.db, timestamp(context.now));
      const { inviteId } = ticket;
      const place = await placeOf(context.db, ticket);
      if (place === undefined) throw new FixpointError('NOT_FOUND');
      const row =
        inviteId === undefined
          ? await createInvite(context, place, ticket)
          : await changeInvite(context, place, inviteId, ticket);
      const isMailed = inviteId === undefined || ticket.incSendEmailCount === true;
      const mailed = isMailed && (await mailInvite(context, row));
      return { invite: { ...describeInvite(row), ...(isMailed && !mailed && { mailed }) } };
    },
  },
} satisfies Partial<Handlers>;

/** The target of an invite: a tenant, or one of its ledgers. */
interface Place {
  readonly tenantId: string;
  readonly ledgerId?: string;
}

async function placeOf(db: Connection, { invitedParams }: Ticket): Promise<Place | undefined> {
  const { tenant, ledger } = invitedParams;
  if (ledger === undefined) return tenant && { tenantId: tenant.id };
  const row = await getLedger(db, ledger.id);
  return row && { tenantId: row.tenantId, ledgerId: row.ledgerId };
}

function paramsOf({ tenant, ledger }: Ticket['invitedParams']): string {
  const params: InvitedParams =
    ledger === undefined
      ? { tenant: { id: tenant?.id ?? '', role: tenant?.role ?? 'member' } }
      : { ledger: { id: ledger.id, role: ledger.role ?? 'member', right: ledger.right ?? 'read' } };
  return JSON.stringify(params);
}

async function createInvite(
  { db, caller, scope, now }: UserContext,
  { tenantId, ledgerId }: Place,
  ticket: Ticket,
): Promise<InviteTicket> {
  const at = timestamp(now);
  const invited = await readInvited(db, ticket.query);
  await refuseSelf(db, caller.userId, invited);
  const tenant = await lockTenant(db, tenantId, at);
  if (tenant === undefined) throw new FixpointError('NOT_FOUND');
  // Checks the right again, because another request may have removed the caller before this
  // transaction locked the row.
  await authorize(db, { userId: caller.userId, scope }, 'invites:manage', { tenantId });
  const names = await ('userId' in invited
    ? namesOfUser(db, invited.userId)
    : namesOfEmail(db, invited.email));
  for (const userId of names.userIds) {
    const member = await getMember(db, tenantId, userId);
    if (member !== undefined && (member.role !== GUEST || ledgerId !== undefined))
      throw new FixpointError('CONFLICT', 'this user is already a member');
  }
  const place = { tenantId, ledgerId: ledgerId ?? null };
  if (await isInvited(db, place, names)) throw new FixpointError('CONFLICT', 'an invite is already pending');
  if ((await countPendingInvites(db, tenantId)) >= tenant.maxInvites)
    throw new FixpointError('LIMIT_REACHED', `${tenant.maxInvites} invites`);
  if (ledgerId !== undefined) await requireShareRoom(db, { tenantId, ledgerId }, {}, at);
  const invite = {
    inviteId: newId(),
    inviterUserId: caller.userId,
    invited,
    invitedTenantId: tenantId,
    invitedLedgerId: place.ledgerId,
    invitedParams: paramsOf(ticket.invitedParams),
    expiresAfter: timestamp(now + LIMITS.inviteDaysUntilExpiry * DAY_MS),
  };
  return insertInvite(db, invite, at);
}

/**
 * Returns the person whom the request invites.
 * @throws FixpointError NOT_FOUND for an unknown user, REQUEST_INVALID when the query names nobody
 */
async function readInvited(db: Connection, { existingUserId, byEmail }: Query): Promise<Invited> {
  if (existingUserId !== undefined) {
    if (!(await isActiveUser(db, existingUserId))) throw new FixpointError('NOT_FOUND');
    await requirePerson(db, existingUserId);
    return { userId: existingUserId };
  }
  const email = normalEmail(byEmail ?? '');
  if (!isEmail(email))
    throw new FixpointError('REQUEST_INVALID', 'an invite needs an email address or a user');
  return { email };
}

async function refuseSelf(db: Connection, userId: string, invited: Invited): Promise<void> {
  const isSelf =
    'userId' in invited
      ? invited.userId === userId
      : (await listProviders(db, userId)).some(({ queryEmail }) => queryEmail === invited.email);
  if (isSelf) throw new FixpointError('REQUEST_INVALID', "you can't invite yourself");
}

/**
 * Changes the role or right of a pending invite, and counts its mails. Never changes who is
 * invited. A user who changes the role or right becomes the inviter, so the invite is revoked when
 * they may no longer invite.
 */
async function changeInvite(
  { db, caller, now }: UserContext,
  { tenantId, ledgerId }: Place,
  inviteId: string,
  { incSendEmailCount, invitedParams }: Ticket,
): Promise<InviteTicket> {
  const invite = await getInvite(db, inviteId);
  const isHere = invite?.invitedTenantId === tenantId && invite.invitedLedgerId === (ledgerId ?? null);
  if (invite === undefined || !isHere) throw new FixpointError('NOT_FOUND');
  if (incSendEmailCount === true && invite.sendEmailCount >= LIMITS.mailsPerInviteMax)
    throw new FixpointError('LIMIT_REACHED', `${LIMITS.mailsPerInviteMax} mails for one invite`);
  const { tenant, ledger } = invitedParams;
  const isOther = [tenant?.role, ledger?.role, ledger?.right].some((given) => given !== undefined);
  const change = {
    ...(isOther && { invitedParams: paramsOf(invitedParams), inviterUserId: caller.userId }),
    ...(incSendEmailCount === true && { sendEmailCount: invite.sendEmailCount + 1 }),
  };
  const changed = await updatePendingInvite(db, inviteId, change, timestamp(now));
  if (changed === undefined) throw new FixpointError('CONFLICT', 'the invite is no longer pending');
  return changed;
}
