import { RateLimited } from '../../limits/rate-limiter.ts';
import { admitMail } from '../../mail/admit-mail.ts';
import { inviteLetter } from '../../mail/letters.ts';
import { listProviders } from '../../tables/accounts/user-rows.ts';
import type { Connection } from '../../tables/connection.ts';
import { timestamp } from '../../tables/new-row.ts';
import type { InviteTicket } from '../../tables/schema.ts';
import { putInviteLink } from '../../tables/tenants/invite-links.ts';
import { newInviteSecret } from '../../tokens/new-api-token.ts';
import type { UserContext } from '../handler.ts';
import { describeGift } from './describe-invite.ts';

/** The period in which mails are counted: one day. */
const DAY_MS = 86_400_000;

/**
 * Mails the invite once it is durable. Returns false when no mail is sent, because the recipient
 * got too many invites or refuses mail. The recipient still sees the invite when they sign in.
 * @throws FixpointError RATE_LIMITED when the sender sent too many invites, to this address or in
 * total
 */
export async function mailInvite(context: UserContext, invite: InviteTicket): Promise<boolean> {
  const { db, caller, person, mailer, consoleUrl, now, afterwards } = context;
  const to = await addressOf(db, invite);
  const gift = await describeGift(db, invite);
  if (to === undefined || gift === undefined) return false;
  const verdict = await admitMail(db, { to, kind: 'invite', sender: caller.userId }, now);
  if (verdict === 'sender') throw new RateLimited(DAY_MS - (now % DAY_MS));
  if (verdict !== 'admitted') return false;
  const { expiresAfter } = invite;
  const letter = inviteLetter({
    to,
    inviter: person.name,
    url: `${consoleUrl}/${await pageOf(context, invite)}`,
    proves: invite.queryEmail !== null,
    expiresAfter,
    ...gift,
  });
  afterwards(() => mailer.send(letter));
  return true;
}

/**
 * Returns the page that a mail leads to. An invite to an address has a link that proves the
 * address. The secret follows `#`, so browsers don't send it with requests for the page.
 */
async function pageOf({ db, now }: UserContext, { inviteId, queryEmail }: InviteTicket): Promise<string> {
  if (queryEmail === null) return 'account';
  const secret = newInviteSecret();
  await putInviteLink(db, inviteId, secret, timestamp(now));
  return `invite#${secret}`;
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
