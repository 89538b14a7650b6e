import { FixpointError } from '@fixpoint/protocol';
import { timestamp } from '../../tables/new-row.ts';
import type { InviteTicket } from '../../tables/schema.ts';
import { expireOverdue, getInvite, listPendingInvitesFor } from '../../tables/tenants/invite-tickets.ts';
import type { UserContext } from '../handler.ts';
import { normalEmail } from './email-address.ts';

/**
 * Returns invites that are pending for the caller. An invite to an address belongs to the person
 * who verified exactly that address. An address that somebody typed at sign-up without verifying it
 * doesn't count.
 */
export async function waitingFor({ db, caller, person, now }: UserContext): Promise<InviteTicket[]> {
  await expireOverdue(db, timestamp(now));
  return listPendingInvitesFor(
    db,
    caller.userId,
    person.emailVerified ? normalEmail(person.email) : undefined,
  );
}

/**
 * Returns the invite with that id if it is pending for the caller. Otherwise the invited person
 * gets an error with the reason, and everybody else gets NOT_FOUND.
 * @throws FixpointError NOT_FOUND, EMAIL_UNVERIFIED, INVITE_EXPIRED, INVITE_ENDED
 */
export async function requireWaiting(
  { db, caller, person, now }: UserContext,
  inviteId: string,
): Promise<InviteTicket> {
  const ticket = await getInvite(db, inviteId);
  const isByAddress = ticket?.queryEmail != null && ticket.queryEmail === normalEmail(person.email);
  if (ticket === undefined || (ticket.invitedUserId !== caller.userId && !isByAddress))
    throw new FixpointError('NOT_FOUND');
  if (ticket.invitedUserId !== caller.userId && !person.emailVerified)
    throw new FixpointError('EMAIL_UNVERIFIED');
  const isOverdue = ticket.status === 'pending' && ticket.expiresAfter <= timestamp(now);
  if (isOverdue || ticket.status === 'expired') throw new FixpointError('INVITE_EXPIRED');
  if (ticket.status !== 'pending') throw new FixpointError('INVITE_ENDED', ticket.status);
  return ticket;
}
