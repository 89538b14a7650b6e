/**
 * Holds tokens that are ready for apps, in memory only: no console address ever contains one (S11).
 */
const ready = new Map<string, string>();

export function prepareHandOff(target: URL, token: string): void {
  ready.set(target.href, token);
}

/** Returns the address with the token in `fpToken`, once; undefined when no token was prepared. */
export function takeHandOff(target: URL): URL | undefined {
  const token = ready.get(target.href);
  if (token === undefined) return undefined;
  ready.delete(target.href);
  const url = new URL(target);
  url.searchParams.set('fpToken', token);
  return url;
}
