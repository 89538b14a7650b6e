import { FixpointError, LIMITS } from '@fixpoint/protocol';
import type { Invite, Role } from '@fixpoint/protocol/admin';
import { requireAdmin } from '../rights/rights.ts';
import type { Connection } from '../tables/database.ts';
import { newId, timestamp } from '../tables/new-row.ts';
import type { InviteTickets } from '../tables/schema.ts';
import type { Handler, UserContext } from './handler.ts';
import { cleanEmail, matchingUsers } from './matching-users.ts';
import { addMember } from './tenants.ts';

const DAY_MS = 86_400_000;

function describe(ticket: InviteTickets): Invite {
  const {
    inviteId,
    inviterUserId,
    invitedUserId,
    queryEmail,
    sendEmailCount,
    status,
    statusReason,
    expiresAfter,
    createdAt,
    updatedAt,
  } = ticket;
  return {
    inviteId,
    inviterUserId,
    ...(invitedUserId === null ? {} : { invitedUserId }),
    query: {
      ...(queryEmail === null ? {} : { byEmail: queryEmail }),
      ...(invitedUserId === null ? {} : { existingUserId: invitedUserId }),
    },
    invitedParams: JSON.parse(ticket.invitedParams) as Record<string, unknown>,
    sendEmailCount,
    status,
    statusReason,
    expiresAfter,
    createdAt,
    updatedAt,
  };
}

async function expireOverdue(db: Connection, now: number): Promise<void> {
  await db
    .updateTable('InviteTickets')
    .set({ status: 'expired', statusReason: 'expired', updatedAt: timestamp(now) })
    .where('status', '=', 'pending')
    .where('expiresAfter', '<', timestamp(now))
    .execute();
}

export const inviteUser: Handler<'reqInviteUser'> = {
  user: 'known',
  run: async ({ db, caller, now }, { ticket: { query, invitedParams } }) => {
    const { id: tenantId, role = 'member' } = invitedParams.tenant;
    await requireAdmin(db, caller.userId, tenantId);
    await expireOverdue(db, now);
    const [invitedUserId] = query.existingUserId === undefined ? [] : await matchingUsers(db, query);
    if (query.existingUserId !== undefined && invitedUserId === undefined)
      throw new FixpointError('NOT_FOUND');
    if (invitedUserId === caller.userId) throw new FixpointError('REQUEST_INVALID', 'cannot invite self');
    const email = query.byEmail === undefined ? undefined : cleanEmail(query.byEmail);
    if (invitedUserId === undefined && email === undefined)
      throw new FixpointError('REQUEST_INVALID', 'an email or a user is needed');
    await requireRoom(db, tenantId, now);
    await refuseDuplicate(db, tenantId, invitedUserId, email);
    const at = timestamp(now);
    const row: InviteTickets = {
      inviteId: newId(),
      inviterUserId: caller.userId,
      status: 'pending',
      statusReason: 'just invited',
      invitedUserId: invitedUserId ?? null,
      queryProvider: null,
      queryEmail: email ?? null,
      queryNick: null,
      sendEmailCount: 0,
      invitedTenantId: tenantId,
      invitedLedgerId: null,
      invitedParams: JSON.stringify({ tenant: { id: tenantId, role } }),
      expiresAfter: timestamp(now + LIMITS.inviteDaysUntilExpiry * DAY_MS),
      createdAt: at,
      updatedAt: at,
    };
    await db.insertInto('InviteTickets').values(row).execute();
    return { invite: describe(row) };
  },
};

async function requireRoom(db: Connection, tenantId: string, now: number): Promise<void> {
  const tenant = await db
    .updateTable('Tenants')
    .set({ updatedAt: timestamp(now) })
    .where('tenantId', '=', tenantId)
    .returning('maxInvites')
    .executeTakeFirstOrThrow();
  const { pending } = await db
    .selectFrom('InviteTickets')
    .select(({ fn }) => fn.countAll<number>().as('pending'))
    .where('invitedTenantId', '=', tenantId)
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow();
  if (Number(pending) >= tenant.maxInvites)
    throw new FixpointError('LIMIT_REACHED', `${tenant.maxInvites} invites`);
}

async function refuseDuplicate(
  db: Connection,
  tenantId: string,
  userId: string | undefined,
  email: string | undefined,
): Promise<void> {
  const same = await db
    .selectFrom('InviteTickets')
    .select('inviteId')
    .where('invitedTenantId', '=', tenantId)
    .where('status', '=', 'pending')
    .where((where) =>
      userId === undefined ? where('queryEmail', '=', email ?? '') : where('invitedUserId', '=', userId),
    )
    .executeTakeFirst();
  if (same !== undefined) throw new FixpointError('CONFLICT', 'invite already exists');
}

/** Invites to tenants that the caller administers. */
export const listInvites: Handler<'reqListInvites'> = {
  user: 'known',
  run: async ({ db, caller, now }, { tenantIds }) => {
    await expireOverdue(db, now);
    const administered = await db
      .selectFrom('TenantUsers')
      .select('tenantId')
      .where('userId', '=', caller.userId)
      .where('role', '=', 'admin')
      .where('status', '=', 'active')
      .execute();
    const visible = administered
      .map(({ tenantId }) => tenantId)
      .filter((id) => tenantIds === undefined || tenantIds.includes(id));
    if (visible.length === 0) return { tickets: [] };
    const tickets = await db
      .selectFrom('InviteTickets')
      .selectAll()
      .where('invitedTenantId', 'in', visible)
      .orderBy('createdAt')
      .execute();
    return { tickets: tickets.map(describe) };
  },
};

export const deleteInvite: Handler<'reqDeleteInvite'> = {
  user: 'known',
  run: async ({ db, caller }, { inviteId }) => {
    const ticket = await db
      .selectFrom('InviteTickets')
      .selectAll()
      .where('inviteId', '=', inviteId)
      .executeTakeFirst();
    if (ticket?.invitedTenantId == null) throw new FixpointError('NOT_FOUND');
    await requireAdmin(db, caller.userId, ticket.invitedTenantId);
    await db.deleteFrom('InviteTickets').where('inviteId', '=', inviteId).execute();
    return { inviteId };
  },
};

export const redeemInvite: Handler<'reqRedeemInvite'> = {
  user: 'known',
  run: async (context) => ({ invites: await redeemInvites(context) }),
};

/** Accepts the caller's pending invites: those that name the user, and, when the address is verified, those that name the address. */
export async function redeemInvites(context: UserContext): Promise<Invite[]> {
  const { db, caller, person, now } = context;
  await expireOverdue(db, now);
  const email = person.emailVerified ? cleanEmail(person.email) : undefined;
  const mine = await db
    .selectFrom('InviteTickets')
    .selectAll()
    .where('status', '=', 'pending')
    .where((where) =>
      where.or([
        where('invitedUserId', '=', caller.userId),
        ...(email === undefined
          ? []
          : [where.and([where('queryEmail', '=', email), where('invitedUserId', 'is', null)])]),
      ]),
    )
    .execute();
  const accepted: Invite[] = [];
  for (const ticket of mine)
    if (await accept(context, ticket)) accepted.push(describe({ ...ticket, status: 'accepted' }));
  return accepted;
}

async function accept({ db, caller, now }: UserContext, ticket: InviteTickets): Promise<boolean> {
  const { tenant } = JSON.parse(ticket.invitedParams) as { tenant: { id: string; role: Role } };
  const limits = await db
    .updateTable('Tenants')
    .set({ updatedAt: timestamp(now) })
    .where('tenantId', '=', tenant.id)
    .returning(['maxAdminUsers', 'maxMemberUsers'])
    .executeTakeFirst();
  if (limits === undefined) return false;
  const { count } = await db
    .selectFrom('TenantUsers')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('tenantId', '=', tenant.id)
    .where('role', '=', tenant.role)
    .executeTakeFirstOrThrow();
  // A full tenant leaves the invite pending: it can be redeemed when there is room.
  if (Number(count) >= (tenant.role === 'admin' ? limits.maxAdminUsers : limits.maxMemberUsers)) return false;
  await addMember(db, { tenantId: tenant.id, userId: caller.userId, role: tenant.role, now });
  await db
    .updateTable('InviteTickets')
    .set({
      status: 'accepted',
      statusReason: `accepted: ${caller.userId}`,
      invitedUserId: caller.userId,
      updatedAt: timestamp(now),
    })
    .where('inviteId', '=', ticket.inviteId)
    .execute();
  return true;
}
