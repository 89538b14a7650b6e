import { FixpointError, LIMITS } from '@fixpoint/protocol';
import type { CleanPayload, Query, Role } from '@fixpoint/protocol/admin';
import type { Connection } from '../tables/database.ts';
import {
  countPendingInvites,
  expireOverdue,
  getInvite,
  type Invited,
  insertInvite,
  isInvited,
  updatePendingInvite,
} from '../tables/invite-tickets.ts';
import { newId, timestamp } from '../tables/new-row.ts';
import type { InviteTicket } from '../tables/schema.ts';
import { getMember } from '../tables/tenant-users.ts';
import { lockTenant } from '../tables/tenants.ts';
import { isActiveUser, listProviders } from '../tables/users.ts';
import { describeInvite, type InvitedParams } from './describe-invite.ts';
import { isEmail, normalEmail } from './email.ts';
import type { Handler, UserContext } from './handler.ts';

const DAY_MS = 86_400_000;

type Ticket = CleanPayload<'reqInviteUser'>['ticket'];

export const inviteUser: Handler<'reqInviteUser'> = {
  requires: 'invites:manage',
  target: ({ ticket }) => ({ tenantId: ticket.invitedParams.tenant.id }),
  run: async (context, { ticket }) => {
    await expireOverdue(context.db, timestamp(context.now));
    const { inviteId } = ticket;
    const row =
      inviteId === undefined
        ? await createInvite(context, ticket)
        : await changeInvite(context, inviteId, ticket);
    return { invite: describeInvite(row) };
  },
};

const paramsOf = (id: string, role: Role): string =>
  JSON.stringify({ tenant: { id, role } } satisfies InvitedParams);

async function createInvite({ db, caller, now }: UserContext, ticket: Ticket): Promise<InviteTicket> {
  const { id: tenantId, role = 'member' } = ticket.invitedParams.tenant;
  const at = timestamp(now);
  const invited = await readInvited(db, ticket.query);
  await refuseSelf(db, caller.userId, invited);
  const tenant = await lockTenant(db, tenantId, at);
  if (tenant === undefined) throw new FixpointError('NOT_FOUND');
  if ('userId' in invited && (await getMember(db, tenantId, invited.userId)) !== undefined)
    throw new FixpointError('CONFLICT', 'a member of the tenant');
  if (await isInvited(db, tenantId, invited)) throw new FixpointError('CONFLICT', 'an invite');
  if ((await countPendingInvites(db, tenantId)) >= tenant.maxInvites)
    throw new FixpointError('LIMIT_REACHED', `${tenant.maxInvites} invites`);
  const invite = {
    inviteId: newId(),
    inviterUserId: caller.userId,
    invited,
    invitedTenantId: tenantId,
    invitedParams: paramsOf(tenantId, role),
    expiresAfter: timestamp(now + LIMITS.inviteDaysUntilExpiry * DAY_MS),
  };
  return insertInvite(db, invite, at);
}

/** @throws FixpointError NOT_FOUND for an unknown user, REQUEST_INVALID when nobody is named */
async function readInvited(db: Connection, { existingUserId, byEmail }: Query): Promise<Invited> {
  if (existingUserId !== undefined) {
    if (!(await isActiveUser(db, existingUserId))) throw new FixpointError('NOT_FOUND');
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
  if (isSelf) throw new FixpointError('REQUEST_INVALID', 'cannot invite self');
}

/** Whom an invite names stays; what it gives, and how often it was mailed, can change while it is pending. */
async function changeInvite(
  { db, now }: UserContext,
  inviteId: string,
  { incSendEmailCount, invitedParams: { tenant } }: Ticket,
): Promise<InviteTicket> {
  const invite = await getInvite(db, inviteId);
  if (invite === undefined || invite.invitedTenantId !== tenant.id) throw new FixpointError('NOT_FOUND');
  const change = {
    ...(tenant.role !== undefined && { invitedParams: paramsOf(tenant.id, tenant.role) }),
    ...(incSendEmailCount === true && { sendEmailCount: invite.sendEmailCount + 1 }),
  };
  const changed = await updatePendingInvite(db, inviteId, change, timestamp(now));
  if (changed === undefined) throw new FixpointError('CONFLICT', 'invite not pending');
  return changed;
}
