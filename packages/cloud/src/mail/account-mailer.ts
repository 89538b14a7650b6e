import type { Db } from '../tables/connection.ts';
import { inTransaction } from '../tables/connection.ts';
import { admitMail, type Verdict } from './admit-mail.ts';
import type { Mail, Mailer } from './mailer.ts';

export interface AccountMailer {
  /**
   * Sends a mail about an account, unless its address received too many mails or refuses mail.
   * Doesn't report whether it sent the mail, because that would reveal to strangers whether the
   * address has an account.
   * @param network the network of the requester
   */
  send(mail: Mail, network: string | undefined): Promise<void>;
}

/** @param note receives an event for each mail that wasn't sent, without the mail's address */
export const limitedAccountMailer = (
  db: Db,
  mailer: Mailer,
  now: () => number,
  note: (event: { readonly event: 'mail withheld'; readonly why: Verdict }) => void,
): AccountMailer => ({
  send: async (mail, network) => {
    const toAdmit = { to: mail.to, kind: 'account', sender: network } as const;
    const why = await inTransaction(db, (tx) => admitMail(tx, toAdmit, now()));
    if (why === 'admitted') await mailer.send(mail);
    else note({ event: 'mail withheld', why });
  },
});
