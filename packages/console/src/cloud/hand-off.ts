/** Tokens that are ready for applications, in memory alone: no address of the console ever holds one (S11). */
const ready = new Map<string, string>();

export function prepareHandOff(target: URL, token: string): void {
  ready.set(target.href, token);
}

/** The address with the token in `fpToken`, once; undefined when none was prepared. */
export function takeHandOff(target: URL): URL | undefined {
  const token = ready.get(target.href);
  if (token === undefined) return undefined;
  ready.delete(target.href);
  const url = new URL(target);
  url.searchParams.set('fpToken', token);
  return url;
}
