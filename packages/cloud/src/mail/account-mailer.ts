import type { Db } from '../tables/connection.ts';
import { inTransaction } from '../tables/connection.ts';
import { admitMail, type Verdict } from './admit-mail.ts';
import type { Mail, Mailer } from './mailer.ts';

export interface AccountMailer {
  /**
   * Sends a mail about an account, unless its address had too many or refuses them. Callers don't
   * learn which: the answer would tell strangers about the address.
   * @param network the network of the requester
   */
  send(mail: Mail, network: string | undefined): Promise<void>;
}

/** @param note receives unsent mails, without their address */
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
