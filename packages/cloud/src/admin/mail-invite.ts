import { inviteLetter } from '../mail/letters.ts';
import type { Connection } from '../tables/database.ts';
import type { InviteTicket } from '../tables/schema.ts';
import { listProviders } from '../tables/users.ts';
import { describeGift } from './describe-invite.ts';
import type { UserContext } from './handler.ts';

/** Mails the invite when it is durable. Whoever has no address learns of it when he signs in. */
export async function mailInvite(context: UserContext, invite: InviteTicket): Promise<void> {
  const { db, person, mailer, consoleUrl, afterwards } = context;
  const to = await addressOf(db, invite);
  const gift = await describeGift(db, invite);
  if (to === undefined || gift === undefined) return;
  const { expiresAfter } = invite;
  const letter = inviteLetter({
    to,
    inviter: person.name,
    url: `${consoleUrl}/account`,
    expiresAfter,
    ...gift,
  });
  afterwards(() => mailer.send(letter));
}

async function addressOf(
  db: Connection,
  { queryEmail, invitedUserId }: InviteTicket,
): Promise<string | undefined> {
  if (queryEmail !== null) return queryEmail;
  if (invitedUserId === null) return undefined;
  const [row] = await listProviders(db, invitedUserId);
  return row?.queryEmail ?? undefined;
}
