import { expireOverdue, listPendingInvitesFor } from '../tables/invite-tickets.ts';
import { timestamp } from '../tables/new-row.ts';
import type { InviteTicket } from '../tables/schema.ts';
import { normalEmail } from './email.ts';
import type { UserContext } from './handler.ts';

/**
 * Invites that wait for the caller. One that names an address is for whoever proved to own exactly that address: an address that somebody only typed when he
 * signed up is not enough.
 */
export async function waitingFor({ db, caller, person, now }: UserContext): Promise<InviteTicket[]> {
  await expireOverdue(db, timestamp(now));
  return listPendingInvitesFor(
    db,
    caller.userId,
    person.emailVerified ? normalEmail(person.email) : undefined,
  );
}
