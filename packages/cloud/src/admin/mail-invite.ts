import { inviteLetter } from '../mail/letters.ts';
import type { Connection } from '../tables/database.ts';
import { getLedger } from '../tables/ledgers.ts';
import type { InviteTicket } from '../tables/schema.ts';
import { getTenant } from '../tables/tenants.ts';
import { listProviders } from '../tables/users.ts';
import { readParams } from './describe-invite.ts';
import type { UserContext } from './handler.ts';

/** Mails the invite when it is durable. Whoever has no address learns of it when he signs in. */
export async function mailInvite(context: UserContext, invite: InviteTicket): Promise<void> {
  const { db, person, mailer, consoleUrl, afterwards } = context;
  const to = await addressOf(db, invite);
  const gift = await giftOf(db, invite);
  if (to === undefined || gift === undefined) return;
  const { expiresAfter } = invite;
  const letter = inviteLetter({ to, inviter: person.name, url: consoleUrl, expiresAfter, ...gift });
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

async function giftOf(db: Connection, invite: InviteTicket) {
  const params = readParams(invite);
  if ('tenant' in params) {
    const tenant = await getTenant(db, params.tenant.id);
    return tenant && ({ kind: 'tenant', place: tenant.name, may: params.tenant.role } as const);
  }
  const ledger = await getLedger(db, params.ledger.id);
  return ledger && ({ kind: 'ledger', place: ledger.name, may: params.ledger.right } as const);
}
