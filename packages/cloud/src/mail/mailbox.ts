import { createHash } from 'node:crypto';

/** Two names of one host. It ignores dots, so each of its addresses has hundreds of spellings. */
const GMAIL: readonly string[] = ['gmail.com', 'googlemail.com'];

/**
 * Returns the mailbox behind an address, in lower case, without the text after a `+`, which reaches
 * the same person.
 */
export function mailboxOf(address: string): string {
  const normal = address.trim().toLowerCase();
  const at = normal.lastIndexOf('@');
  if (at <= 0) return normal;
  const local = normal.slice(0, at).replace(/(?<=.)\+.*$/, '');
  const host = normal.slice(at + 1);
  return GMAIL.includes(host) ? `${local.replaceAll('.', '')}@gmail.com` : `${local}@${host}`;
}

/**
 * Returns the mailbox under which mails are counted. Many hosts ignore dots; where they don't, two
 * people share a limit, which does little harm.
 */
export function countedMailbox(address: string): string {
  const mailbox = mailboxOf(address);
  const at = mailbox.lastIndexOf('@');
  return at <= 0 ? mailbox : `${mailbox.slice(0, at).replaceAll('.', '')}${mailbox.slice(at)}`;
}

/** Returns the hash of a mailbox. Tables don't contain addresses of people who aren't users. */
export const hashOfMailbox = (mailbox: string): string => createHash('sha256').update(mailbox).digest('hex');
