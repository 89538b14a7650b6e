/** Who is signed in. The session is a cookie that no script can read; identity tokens are made from it and kept in memory alone. */
import { FixpointError } from '@fixpoint/protocol';
import type { Auth } from '@fixpoint/protocol/admin';

export interface SessionUser {
  readonly name: string;
  readonly email: string;
  /** Whether he proved that the address is his; invites by email wait for it. */
  readonly emailVerified: boolean;
}

export interface SignUp {
  readonly email: string;
  readonly password: string;
  readonly name: string;
  readonly emailOptIn: boolean;
  readonly adClickId?: string;
}

export interface Session {
  /** Who is signed in, asked anew; undefined for nobody. @throws FixpointError FETCH, HTTP */
  user(): Promise<SessionUser | undefined>;
  /** An identity token for the admin API that lasts a while; undefined when nobody is signed in. @throws FixpointError FETCH, HTTP */
  auth(): Promise<Auth | undefined>;
  /** The next token is made anew. */
  forgetToken(): void;
  /** The following give what the provider refused, as a text for the form; undefined when it is done. */
  signIn(email: string, password: string): Promise<string | undefined>;
  signUp(given: SignUp): Promise<string | undefined>;
  signOut(): Promise<string | undefined>;
  /** Mails the link that verifies the address once more; it leads back to the console. */
  sendVerification(email: string): Promise<string | undefined>;
}

export interface SessionParts {
  readonly fetch: typeof globalThis.fetch;
  readonly now: () => number;
}

const PATH = '/auth';
const AUTH_TYPE = 'fixpoint';
/** A token with less than this left is replaced before it is used. */
const SPARE_MS = 60_000;
const LIFE_DEFAULT_MS = 300_000;

export function createSession({ fetch, now }: SessionParts): Session {
  let known: { readonly auth: Auth; readonly useUntilMs: number } | undefined;
  let asking: Promise<Auth | undefined> | undefined;

  async function get(path: string): Promise<Response> {
    const response = await fetch(PATH + path).catch((cause: Error) => {
      throw new FixpointError('FETCH', cause.message, { cause });
    });
    if (response.ok || response.status === 401) return response;
    throw new FixpointError('HTTP', `${response.status} ${response.statusText}`.trim());
  }

  async function user(): Promise<SessionUser | undefined> {
    const response = await get('/get-session');
    if (!response.ok) return undefined;
    const session = (await response.json()) as { user: SessionUser } | null;
    return session?.user;
  }

  async function ask(): Promise<Auth | undefined> {
    // Without a session the answer would be a refusal, which browsers log as an error.
    if ((await user()) === undefined) return undefined;
    const response = await get('/token');
    if (!response.ok) return undefined;
    const { token } = (await response.json()) as { token: string };
    const auth = { type: AUTH_TYPE, token };
    known = { auth, useUntilMs: now() + lifeOf(token) - SPARE_MS };
    return auth;
  }

  async function post(path: string, body: unknown): Promise<string | undefined> {
    known = undefined;
    const headers = { 'content-type': 'application/json' };
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(PATH + path, request).catch(() => undefined);
    if (response === undefined) return 'The server cannot be reached. Check the connection and try again.';
    return response.ok ? undefined : reasonOf(response);
  }

  return {
    user,
    auth: async () => {
      if (known !== undefined && now() < known.useUntilMs) return known.auth;
      asking ??= ask().finally(() => {
        asking = undefined;
      });
      return asking;
    },
    forgetToken: () => {
      known = undefined;
    },
    signIn: (email, password) => post('/sign-in/email', { email, password }),
    signUp: (given) => post('/sign-up/email', given),
    signOut: () => post('/sign-out', {}),
    sendVerification: (email) => post('/send-verification-email', { email, callbackURL: '/' }),
  };
}

async function reasonOf(response: Response): Promise<string> {
  const { message } = (await response.json().catch(() => ({}))) as { message?: unknown };
  if (response.status === 429) return 'Too many attempts. Wait a minute, then try again.';
  if (typeof message === 'string' && message !== '') return message;
  return `The server answered ${response.status}. Try again in a moment.`;
}

/** How long a token lasts from when it was made, by its two claims of one clock: the clock of this device may be wrong. */
function lifeOf(token: string): number {
  try {
    const body = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const { exp, iat } = JSON.parse(atob(body)) as { exp?: unknown; iat?: unknown };
    return typeof exp === 'number' && typeof iat === 'number' ? (exp - iat) * 1000 : LIFE_DEFAULT_MS;
  } catch {
    return LIFE_DEFAULT_MS;
  }
}
