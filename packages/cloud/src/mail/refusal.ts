/**
 * Lets receivers refuse mail without signing in, with a link that only the receiver of a mail has.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { hasMailRefusal, putMailRefusal, removeMailRefusal } from '../tables/accounts/mail-refusals.ts';
import type { Db } from '../tables/connection.ts';
import { timestamp } from '../tables/new-row.ts';
import { withRefusal } from './letters.ts';
import { hashOfMailbox, mailboxOf } from './mailbox.ts';
import type { Mailer } from './mailer.ts';

/** Path prefix of the pages on which people refuse mail to an address. */
export const REFUSAL_PATH = '/mail/';

export interface MailRefusals {
  /** Returns the URL of the page on which the owner of an address refuses mail. */
  linkFor(address: string): string;
  /** Returns the mailbox in the token of a link; undefined unless this server signed the token. */
  read(token: string): string | undefined;
  isRefused(mailbox: string): Promise<boolean>;
  set(mailbox: string, isRefused: boolean): Promise<void>;
}

/**
 * @param secret signs links; they don't expire, because old mails must keep working
 * @param baseUrl public address of the server, with the path that a proxy adds
 */
export function createMailRefusals(
  db: Db,
  secret: Uint8Array,
  baseUrl: string,
  now: () => number,
): MailRefusals {
  const signatureOf = (mailbox: string) =>
    createHmac('sha256', secret).update(`fixpoint mail refusal ${mailbox}`).digest();
  return {
    linkFor: (address) => {
      const mailbox = mailboxOf(address);
      const text = Buffer.from(mailbox).toString('base64url');
      return `${baseUrl}${REFUSAL_PATH}${text}.${signatureOf(mailbox).toString('base64url')}`;
    },
    read: (token) => {
      const [text = '', signature = ''] = token.split('.');
      const mailbox = Buffer.from(text, 'base64url').toString('utf8');
      const [given, wanted] = [Buffer.from(signature, 'base64url'), signatureOf(mailbox)];
      return given.length === wanted.length && timingSafeEqual(given, wanted) ? mailbox : undefined;
    },
    isRefused: (mailbox) => hasMailRefusal(db, hashOfMailbox(mailbox)),
    set: (mailbox, isRefused) =>
      isRefused
        ? putMailRefusal(db, hashOfMailbox(mailbox), timestamp(now()))
        : removeMailRefusal(db, hashOfMailbox(mailbox)),
  };
}

/** Adds a link for refusing further mail to each mail. */
export const refusableMailer = (mailer: Mailer, { linkFor }: Pick<MailRefusals, 'linkFor'>): Mailer => ({
  send: (mail) => mailer.send(withRefusal(mail, linkFor(mail.to))),
});
