/** An address as it is stored and compared for rights: nothing but spaces and case is taken away, since to many hosts `a.b@` and `ab@` are two people. */
export function normalEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** Whether a text looks like an address: something, one `@`, and a domain with a dot. */
export function isEmail(text: string): boolean {
  return text.length <= 254 && /^[^\s@\p{Cc}]+@[^\s@.\p{Cc}]+(\.[^\s@.\p{Cc}]+)+$/u.test(text);
}

/**
 * The form in which addresses are searched: the last `+tag` goes, then everything but letters and digits before the `@`. Different people may share it: good for
 * finding somebody, never for deciding who somebody is. Undefined for what is no address.
 */
export function cleanEmail(email: string): string | undefined {
  const normal = normalEmail(email);
  const at = normal.lastIndexOf('@');
  if (at <= 0 || at === normal.length - 1) return undefined;
  const local = normal.slice(0, at);
  const clean = local.replace(/\+[^+]*$/, '').replace(/[^a-z0-9]/g, '');
  return `${clean || local}${normal.slice(at)}`;
}
