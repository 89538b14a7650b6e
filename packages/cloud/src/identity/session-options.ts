/** Configures sessions: their life, their contents and their cookies. */

import type { BuiltinParts } from './builtin-parts.ts';
import { createSessionRules } from './session-rules.ts';

const DAY_SECONDS = 24 * 3600;
/** Days without use after which a session ends. */
export const SESSION_IDLE_DAYS = 7;

/** Returns the options of sessions. The rules of `confirm.ts` replace the library's `freshAge`. */
export const sessionOptions = () => ({
  expiresIn: SESSION_IDLE_DAYS * DAY_SECONDS,
  // Using a session extends it, which is stored at most once a day.
  updateAge: DAY_SECONDS,
  freshAge: 0,
  additionalFields: {
    strong: { type: 'boolean' as const, required: false, input: false },
    confirmedAt: { type: 'date' as const, required: false, input: false },
  },
});

/** Returns the hooks that check a session before it's created. */
export const sessionHooks = ({ db, now, hasOwnWays }: BuiltinParts) => ({
  create: { before: createSessionRules(db, now, hasOwnWays) },
});

const NAME = 'fixpoint';

/**
 * Returns the cookie options. Over https at the root of a host the prefix is `__Host-`: browsers
 * accept this cookie only from this host, for all paths, and over https. Below a path of a shared
 * host the prefix is `__Secure-`, and the path hides the cookie from the other applications. Over
 * http (on this machine) neither prefix works.
 */
export function cookieOptions(publicUrl: string, basePath: string) {
  const path = basePath === '' ? '/' : basePath;
  if (!publicUrl.startsWith('https:'))
    return { cookiePrefix: NAME, useSecureCookies: false, defaultCookieAttributes: { path } };
  return basePath === ''
    ? { cookiePrefix: `__Host-${NAME}`, useSecureCookies: false, defaultCookieAttributes: { secure: true } }
    : { cookiePrefix: NAME, useSecureCookies: true, defaultCookieAttributes: { path } };
}
