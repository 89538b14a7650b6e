/**
 * Decides whether a mail may be sent. This depends on how many mails were recently sent to the
 * receiver and by the sender, and on whether the receiver refuses mail.
 */

import { type MailCount, removeMailCountsBefore, takeMail } from '../tables/accounts/mail-counts.ts';
import { hasMailRefusal } from '../tables/accounts/mail-refusals.ts';
import { namesOfEmail } from '../tables/accounts/names-of-person.ts';
import type { Connection } from '../tables/connection.ts';
import { timestamp } from '../tables/new-row.ts';
import { countedMailbox, hashOfMailbox, mailboxOf } from './mailbox.ts';

/** Limits per day, or per hour if the name says so. They apply to all gateways together. */
export const MAIL_LIMITS = {
  invitesToMailbox: 10,
  invitesFromSender: 50,
  invitesBetween: 5,
  /**
   * Sign-in links, verifications and new passwords. Anybody can request them by typing an address.
   */
  accountToMailbox: 20,
  accountToMailboxInHour: 6,
  accountFromNetwork: 100,
} as const;

export interface MailToAdmit {
  readonly to: string;
  /** `invite`: a user writes to another person. `account`: about an account at this address. */
  readonly kind: 'invite' | 'account';
  /** The user who invites, or the network of the requester. */
  readonly sender: string | undefined;
}

/**
 * `refused`: the receiver refuses mail. `receiver`, `sender`: that side reached its limit of mails.
 */
export type Verdict = 'admitted' | 'refused' | 'receiver' | 'sender';

const DAY_MS = 86_400_000;

/** Decides about a mail, and counts the mail if it is admitted. */
export async function admitMail(db: Connection, mail: MailToAdmit, now: number): Promise<Verdict> {
  if (await isRefused(db, mail)) return 'refused';
  await removeMailCountsBefore(db, timestamp(now - 2 * DAY_MS).slice(0, 10));
  const full = await takeMail(db, countsOf(mail, timestamp(now)));
  if (full === undefined) return 'admitted';
  return full.subject.startsWith('to ') ? 'receiver' : 'sender';
}

/**
 * Returns whether the receiver refuses the mail. People who verified this address in an account
 * still get mail about that account, because only they can use it.
 */
async function isRefused(db: Connection, { to, kind }: MailToAdmit): Promise<boolean> {
  if (!(await hasMailRefusal(db, hashOfMailbox(mailboxOf(to))))) return false;
  return kind === 'invite' || (await namesOfEmail(db, to.trim().toLowerCase())).userIds.length === 0;
}

function countsOf({ to, kind, sender }: MailToAdmit, at: string): MailCount[] {
  const [day, hour] = [at.slice(0, 10), at.slice(0, 13)];
  const mailbox = hashOfMailbox(countedMailbox(to));
  const of = (subject: string, max: number, period = day) => ({ subject, period, max });
  if (kind === 'invite')
    return [
      of(`from ${sender} to ${mailbox}`, MAIL_LIMITS.invitesBetween),
      of(`from ${sender}`, MAIL_LIMITS.invitesFromSender),
      of(`to ${mailbox} invites`, MAIL_LIMITS.invitesToMailbox),
    ];
  return [
    ...(sender === undefined ? [] : [of(`network ${sender}`, MAIL_LIMITS.accountFromNetwork)]),
    of(`to ${mailbox}`, MAIL_LIMITS.accountToMailboxInHour, hour),
    of(`to ${mailbox}`, MAIL_LIMITS.accountToMailbox),
  ];
}
