import { accessLetter, type NewAccess } from '../../mail/letters.ts';
import type { UserContext } from '../handler.ts';

/**
 * Mails the caller that a new device or token can act as them. Sends nothing to an unverified
 * address, because that may be a stranger's.
 */
export function mailNewAccess(
  { person, mailer, consoleUrl, afterwards }: UserContext,
  access: NewAccess,
): void {
  if (!person.emailVerified) return;
  const letter = accessLetter(person.email, access, `${consoleUrl}/account`);
  afterwards(() => mailer.send(letter));
}
