import type { Names } from '../accounts/names-of-person.ts';
import type { Connection } from '../connection.ts';
import type { InviteTicket } from '../schema.ts';

/** The invited person: a user, or the owner of an address. */
export type Invited = { readonly userId: string } | { readonly email: string };

export async function expireOverdue(db: Connection, at: string): Promise<void> {
  await db
    .updateTable('InviteTickets')
    .set({ status: 'expired', statusReason: 'expired', updatedAt: at })
    .where('status', '=', 'pending')
    .where('expiresAfter', '<=', at)
    .execute();
}

export async function insertInvite(
  db: Connection,
  invite: {
    readonly inviteId: string;
    readonly inviterUserId: string;
    readonly invited: Invited;
    readonly invitedTenantId: string;
    /** The ledger of an invite to one ledger; `invitedTenantId` is its tenant. */
    readonly invitedLedgerId: string | null;
    readonly invitedParams: string;
    readonly expiresAfter: string;
  },
  at: string,
): Promise<InviteTicket> {
  const { invited, ...row } = invite;
  return db
    .insertInto('InviteTickets')
    .values({
      ...row,
      invitedUserId: 'userId' in invited ? invited.userId : null,
      queryEmail: 'email' in invited ? invited.email : null,
      queryProvider: null,
      queryNick: null,
      status: 'pending',
      statusReason: 'just invited',
      sendEmailCount: 1,
      createdAt: at,
      updatedAt: at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function getInvite(db: Connection, inviteId: string): Promise<InviteTicket | undefined> {
  return db.selectFrom('InviteTickets').selectAll().where('inviteId', '=', inviteId).executeTakeFirst();
}

export async function countPendingInvites(db: Connection, tenantId: string): Promise<number> {
  const { count } = await db
    .selectFrom('InviteTickets')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('invitedTenantId', '=', tenantId)
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Returns pending invites to the tenant and to its ledgers. */
export async function listPendingIn(db: Connection, tenantId: string): Promise<InviteTicket[]> {
  return db
    .selectFrom('InviteTickets')
    .selectAll()
    .where('invitedTenantId', '=', tenantId)
    .where('status', '=', 'pending')
    .execute();
}

/**
 * Revokes pending invites to a person or by a user, either to a tenant and all its ledgers, or to
 * one ledger.
 */
export async function revokeInvites(
  db: Connection,
  { tenantId, ledgerId }: { readonly tenantId: string; readonly ledgerId?: string | undefined },
  of: { readonly to: Names } | { readonly by: string },
  statusReason: string,
  at: string,
): Promise<void> {
  let query = db
    .updateTable('InviteTickets')
    .set({ status: 'revoked', statusReason, updatedAt: at })
    .where('invitedTenantId', '=', tenantId)
    .where('status', '=', 'pending');
  if (ledgerId !== undefined) query = query.where('invitedLedgerId', '=', ledgerId);
  query =
    'to' in of
      ? query.where((where) =>
          where.or([
            where('invitedUserId', 'in', orNone(of.to.userIds)),
            where('queryEmail', 'in', orNone(of.to.emails)),
          ]),
        )
      : query.where('inviterUserId', '=', of.by);
  await query.execute();
}

/**
 * Returns a list for `in`, which must not be empty. The empty text matches no id and no address.
 */
const orNone = (texts: readonly string[]): readonly string[] => (texts.length === 0 ? [''] : texts);

/**
 * Returns whether an invite to this tenant, or to this ledger if one is given, is pending for any
 * account or address of a person.
 */
export async function isInvited(
  db: Connection,
  { tenantId, ledgerId }: { readonly tenantId: string; readonly ledgerId: string | null },
  names: Names,
): Promise<boolean> {
  const row = await db
    .selectFrom('InviteTickets')
    .select('inviteId')
    .where('invitedTenantId', '=', tenantId)
    .where('invitedLedgerId', ledgerId === null ? 'is' : '=', ledgerId)
    .where('status', '=', 'pending')
    .where((where) =>
      where.or([
        where('invitedUserId', 'in', orNone(names.userIds)),
        where('queryEmail', 'in', orNone(names.emails)),
      ]),
    )
    .executeTakeFirst();
  return row !== undefined;
}

export async function listInvitesToLedger(db: Connection, ledgerId: string): Promise<InviteTicket[]> {
  return db
    .selectFrom('InviteTickets')
    .selectAll()
    .where('invitedLedgerId', '=', ledgerId)
    .orderBy('createdAt')
    .orderBy('inviteId')
    .execute();
}

export async function listInvitesTo(db: Connection, tenantIds: readonly string[]): Promise<InviteTicket[]> {
  if (tenantIds.length === 0) return [];
  return db
    .selectFrom('InviteTickets')
    .selectAll()
    .where('invitedTenantId', 'in', tenantIds)
    .orderBy('createdAt')
    .orderBy('inviteId')
    .execute();
}

/**
 * Returns pending invites to the user or to the address, oldest first. Each invite is to either a
 * user or an address.
 */
export async function listPendingInvitesFor(
  db: Connection,
  userId: string,
  email: string | undefined,
): Promise<InviteTicket[]> {
  return db
    .selectFrom('InviteTickets')
    .selectAll()
    .where('status', '=', 'pending')
    .where((where) =>
      where.or([
        where('invitedUserId', '=', userId),
        ...(email === undefined ? [] : [where('queryEmail', '=', email)]),
      ]),
    )
    .orderBy('createdAt')
    .orderBy('inviteId')
    .execute();
}

/** Changes a pending invite; returns undefined when it is no longer pending. */
export async function updatePendingInvite(
  db: Connection,
  inviteId: string,
  change: Partial<
    Pick<
      InviteTicket,
      'invitedParams' | 'inviterUserId' | 'sendEmailCount' | 'status' | 'statusReason' | 'invitedUserId'
    >
  >,
  at: string,
): Promise<InviteTicket | undefined> {
  return db
    .updateTable('InviteTickets')
    .set({ ...change, updatedAt: at })
    .where('inviteId', '=', inviteId)
    .where('status', '=', 'pending')
    .returningAll()
    .executeTakeFirst();
}

export async function removeInvite(db: Connection, inviteId: string): Promise<void> {
  await db.deleteFrom('InviteTickets').where('inviteId', '=', inviteId).execute();
}
