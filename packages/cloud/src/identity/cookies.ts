/** Names and reach of the cookies under which sessions live. */

const NAME = 'fixpoint';

/**
 * Over https at the root of a host the prefix `__Host-`: a browser takes such a cookie from this host alone, whole and secure. Below a path of a host that others
 * share, the path keeps it from them, and `__Secure-` is what remains. On http (this machine) neither is to be had.
 */
export function cookieOptions(publicUrl: string, basePath: string) {
  const path = basePath === '' ? '/' : basePath;
  if (!publicUrl.startsWith('https:'))
    return { cookiePrefix: NAME, useSecureCookies: false, defaultCookieAttributes: { path } };
  return basePath === ''
    ? { cookiePrefix: `__Host-${NAME}`, useSecureCookies: false, defaultCookieAttributes: { secure: true } }
    : { cookiePrefix: NAME, useSecureCookies: true, defaultCookieAttributes: { path } };
}
