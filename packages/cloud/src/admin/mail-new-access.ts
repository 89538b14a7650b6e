import { accessLetter, type NewAccess } from '../mail/letters.ts';
import type { UserContext } from './handler.ts';

/** Tells the caller by mail that a device or a token acts as them now. An address that nobody proved gets no mail: it may be a stranger's. */
export function mailNewAccess(
  { person, mailer, consoleUrl, afterwards }: UserContext,
  access: NewAccess,
): void {
  if (!person.emailVerified) return;
  const letter = accessLetter(person.email, access, `${consoleUrl}/account`);
  afterwards(() => mailer.send(letter));
}
