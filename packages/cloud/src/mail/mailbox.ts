import { createHash } from 'node:crypto';

/** The two host names of Gmail, which ignores dots, so each address has many spellings. */
const GMAIL: readonly string[] = ['gmail.com', 'googlemail.com'];

/**
 * Returns the mailbox of an address: in lower case, and without the text after a `+`. Addresses
 * that differ only in this text reach the same person.
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
 * Returns the mailbox for which mails are counted. Removes dots, because many hosts ignore them. At
 * other hosts, two people may share a limit, which does little harm.
 */
export function countedMailbox(address: string): string {
  const mailbox = mailboxOf(address);
  const at = mailbox.lastIndexOf('@');
  return at <= 0 ? mailbox : `${mailbox.slice(0, at).replaceAll('.', '')}${mailbox.slice(at)}`;
}

/**
 * Returns the hash of a mailbox, for tables that must not contain addresses of people who aren't
 * users.
 */
export const hashOfMailbox = (mailbox: string): string => createHash('sha256').update(mailbox).digest('hex');
