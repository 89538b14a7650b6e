/** Names and scope of the session cookies. */

const NAME = 'fixpoint';

/**
 * Returns the cookie options. Over https at the root of a host the prefix is `__Host-`: browsers
 * accept such a cookie only from this host, for all paths, and over https. Below a path of a shared
 * host, the path keeps the cookie from the others, and the prefix is `__Secure-`. On http (this
 * machine) neither works.
 */
export function cookieOptions(publicUrl: string, basePath: string) {
  const path = basePath === '' ? '/' : basePath;
  if (!publicUrl.startsWith('https:'))
    return { cookiePrefix: NAME, useSecureCookies: false, defaultCookieAttributes: { path } };
  return basePath === ''
    ? { cookiePrefix: `__Host-${NAME}`, useSecureCookies: false, defaultCookieAttributes: { secure: true } }
    : { cookiePrefix: NAME, useSecureCookies: true, defaultCookieAttributes: { path } };
}
