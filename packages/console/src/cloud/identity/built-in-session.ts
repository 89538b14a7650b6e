/**
 * Signs users in with accounts of this server, with accounts of an OpenID Connect provider, or with
 * both. The session is a cookie. The page gets identity tokens with the cookie, and keeps tokens
 * only in memory.
 */
import type { Result } from '@fixpoint/protocol';
import type { Auth } from '@fixpoint/protocol/admin';
import { failureText } from '../../ui/text/failure-text.ts';
import { type AuthRoutes, createAuthRoutes } from './auth-routes.ts';
import { builtInAccount } from './built-in-account.ts';
import { hasPasskeys, usePasskey } from './passkey-support.ts';
import type { OwnConfig } from './read-provider.ts';
import type { Attempt, Session, SessionParts, SessionUser } from './session-port.ts';

const AUTH_TYPE = 'fixpoint';
/** A token with less time left than this is replaced before use. */
const SPARE_MS = 60_000;
const LIFE_DEFAULT_MS = 300_000;
/** For this long after a session check, tokens are fetched without another check. */
const SEEN_MS = 5000;
const DONE: Attempt = { is: 'done' };

export function builtInSession({ fetch, now }: SessionParts, config: OwnConfig): Session {
  const routes = createAuthRoutes(fetch);
  const hasPassword = config.kind === 'builtin';
  const { user, auth, forget } = createTokens(routes, now);

  /** Each call can replace the session that the current token belongs to, so it drops the token. */
  async function post<T>(path: string, body: unknown): Promise<Result<T>> {
    const answer = await routes.post<T>(path, body);
    forget();
    return answer;
  }

  const attempt = (path: string, body: unknown) => post<SignedIn>(path, body).then(attemptOf);
  const done = (path: string, body: unknown) => post(path, body).then(problemOf);

  return {
    user,
    auth,
    forgetToken: forget,
    ways: async () => ({
      password: hasPassword,
      mailedLink: hasPassword,
      passkey: config.passkeys && hasPasskeys(),
      elsewhere: config.elsewhere,
      ...(config.signUp && { signUp: config.signUp }),
    }),
    signIn: (email, password) => attempt('/sign-in/email', { email, password }),
    signUp: (given) => attempt('/sign-up/email', given),
    signInByCode: (code) => attempt(codeRoute(code), { code }),
    signInByPasskey: async () => {
      forget();
      return attemptOf(await usePasskey(routes));
    },
    signInElsewhere: async (backTo, choice) => {
      const answer = await post<{ url: string }>('/sign-in/social', {
        provider: 'oidc',
        callbackURL: backTo,
        errorCallbackURL: loginFor(backTo),
        ...(choice && { additionalData: choice }),
      });
      if (!answer.ok) return attemptOf(answer);
      location.assign(answer.value.url);
      return { is: 'leaving' };
    },
    mailLink: (mailed, email, backTo) =>
      mailed === 'sign-in'
        ? done('/sign-in/magic-link', { email, callbackURL: backTo, errorCallbackURL: loginFor(backTo) })
        : done('/request-password-reset', { email }),
    choosePassword: (token, newPassword) => done('/reset-password', { token, newPassword }),
    signOut: () => done('/sign-out', {}),
    sendVerification: (email) => done('/send-verification-email', { email, callbackURL: '/' }),
    account: () => builtInAccount({ get: routes.get, post }, config),
  };
}

interface Tokens {
  /** Fetches the signed-in user; undefined when nobody is signed in. */
  user(): Promise<SessionUser | undefined>;
  /** Returns a token with enough time left. Simultaneous callers share one request. */
  auth(): Promise<Auth | undefined>;
  /** Drops cached data, because the session may now be a different one. */
  forget(): void;
}

/** Gets identity tokens for the session cookie, and keeps the latest token in memory. */
function createTokens(routes: AuthRoutes, now: () => number): Tokens {
  let known: { readonly auth: Auth; readonly useUntilMs: number } | undefined;
  let asking: Promise<Auth | undefined> | undefined;
  let seenUntilMs = 0;
  /** Counts session changes: answers requested before a change belong to the previous session. */
  let times = 0;

  async function user(): Promise<SessionUser | undefined> {
    const then = times;
    const found = (await routes.get<{ user: SessionUser }>('/get-session'))?.user;
    if (then === times) seenUntilMs = found === undefined ? 0 : now() + SEEN_MS;
    return found;
  }

  async function ask(): Promise<Auth | undefined> {
    const then = times;
    // Without a session the server would reject the request, which browsers log as an error.
    if (now() >= seenUntilMs && (await user()) === undefined) return undefined;
    const answer = await routes.get<{ token: string }>('/token');
    if (answer === undefined) return undefined;
    const auth = { type: AUTH_TYPE, token: answer.token };
    if (then === times) known = { auth, useUntilMs: now() + lifeOf(answer.token) - SPARE_MS };
    return auth;
  }

  async function auth(): Promise<Auth | undefined> {
    if (known !== undefined && now() < known.useUntilMs) return known.auth;
    if (asking !== undefined) return asking;
    const own = ask().finally(() => {
      if (asking === own) asking = undefined;
    });
    asking = own;
    return own;
  }

  function forget(): void {
    known = undefined;
    asking = undefined;
    seenUntilMs = 0;
    times += 1;
  }
  return { user, auth, forget };
}

const loginFor = (backTo: string): string => `/login?redirect_url=${encodeURIComponent(backTo)}`;

/** Six digits come from the authenticator app. Any other code is a backup code. */
const codeRoute = (code: string): string =>
  /^\d{6}$/.test(code) ? '/two-factor/verify-totp' : '/two-factor/verify-backup-code';

interface SignedIn {
  /** The server asks for a second step. */
  readonly twoFactorRedirect?: boolean;
}

function attemptOf(answer: Result<SignedIn>): Attempt {
  if (!answer.ok) return { is: 'refused', why: failureText(answer.error) };
  return answer.value.twoFactorRedirect === true ? { is: 'code', from: 'app' } : DONE;
}

const problemOf = (answer: Result<unknown>): string | undefined =>
  answer.ok ? undefined : failureText(answer.error);

/**
 * Returns the time between a token's `iat` and `exp` claims. Doesn't use this device's clock, which
 * may be wrong.
 */
function lifeOf(token: string): number {
  try {
    const body = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const { exp, iat } = JSON.parse(atob(body)) as { exp?: unknown; iat?: unknown };
    return typeof exp === 'number' && typeof iat === 'number' ? (exp - iat) * 1000 : LIFE_DEFAULT_MS;
  } catch {
    return LIFE_DEFAULT_MS;
  }
}
