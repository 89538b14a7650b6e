/**
 * Links in the mails of invites. People who open a link can read the mail of the invited address,
 * so an account that they create with it has a verified address. Each link works once, only for the
 * invited address, and while the invite is pending. The tables store a hash of the secret.
 */
import { createHash } from 'node:crypto';
import type { Connection } from '../connection.ts';
import type { InviteTicket } from '../schema.ts';

const hashOf = (secret: string): string => createHash('sha256').update(`invite ${secret}`).digest('hex');

/** Stores the link of an invite. Earlier links of the invite end. */
export async function putInviteLink(
  db: Connection,
  inviteId: string,
  secret: string,
  at: string,
): Promise<void> {
  const hash = hashOf(secret);
  await db
    .insertInto('InviteLinks')
    .values({ inviteId, hash, createdAt: at })
    .onConflict((conflict) => conflict.column('inviteId').doUpdateSet({ hash, createdAt: at }))
    .execute();
}

/** Returns the pending invite of a link; undefined for a link that is unknown or ended. */
export async function inviteOfLink(
  db: Connection,
  secret: string,
  at: string,
): Promise<(InviteTicket & { readonly queryEmail: string }) | undefined> {
  const invite = await db
    .selectFrom('InviteTickets')
    .innerJoin('InviteLinks', 'InviteLinks.inviteId', 'InviteTickets.inviteId')
    .selectAll('InviteTickets')
    .where('InviteLinks.hash', '=', hashOf(secret))
    .where('InviteTickets.status', '=', 'pending')
    .where('InviteTickets.expiresAfter', '>', at)
    .executeTakeFirst();
  return invite?.queryEmail == null ? undefined : { ...invite, queryEmail: invite.queryEmail };
}

/**
 * Ends a link. Returns whether it was the link of a pending invite to this address. Only one
 * of several parallel callers gets true.
 */
export async function takeInviteLink(
  db: Connection,
  { secret, email }: { readonly secret: string; readonly email: string },
  at: string,
): Promise<boolean> {
  const invite = await inviteOfLink(db, secret, at);
  if (invite?.queryEmail !== email) return false;
  const taken = await db
    .deleteFrom('InviteLinks')
    .where('hash', '=', hashOf(secret))
    .returning('inviteId')
    .executeTakeFirst();
  return taken !== undefined;
}
