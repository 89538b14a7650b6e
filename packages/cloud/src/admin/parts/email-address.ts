/**
 * Returns an address in the form in which rights are stored and compared. Changes only outer spaces
 * and case, because many mail hosts treat `a.b@` and `ab@` as two people.
 */
export function normalEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** Returns whether a text looks like an address: a local part, one `@`, and a domain with a dot. */
export function isEmail(text: string): boolean {
  return text.length <= 254 && /^[^\s@\p{Cc}]+@[^\s@.\p{Cc}]+(\.[^\s@.\p{Cc}]+)+$/u.test(text);
}

/**
 * Returns the form in which addresses are searched: without the last `+tag`, and with only letters
 * and digits before the `@`. Different people may share this form: use it to find a person, never
 * to identify one. Returns undefined for a text that isn't an address.
 */
export function cleanEmail(email: string): string | undefined {
  const normal = normalEmail(email);
  const at = normal.lastIndexOf('@');
  if (at <= 0 || at === normal.length - 1) return undefined;
  const local = normal.slice(0, at);
  const clean = local.replace(/\+[^+]*$/, '').replace(/[^a-z0-9]/g, '');
  return `${clean || local}${normal.slice(at)}`;
}
