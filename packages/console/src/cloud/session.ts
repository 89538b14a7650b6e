/** Who is signed in. The session itself is a cookie that no script can read; from it short identity tokens are made. */
import type { Auth } from '@fixpoint/protocol/admin';

export interface SessionUser {
  readonly name: string;
  readonly email: string;
}

const SPARE_MS = 60_000;
const AUTH_TYPE = 'fixpoint';
let known: { token: string; expiresAtMs: number } | undefined;

async function post(path: string, body: unknown): Promise<string | undefined> {
  const response = await fetch(`/auth${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => undefined);
  if (response === undefined) return 'The server cannot be reached. Check the connection and try again.';
  if (response.ok) return undefined;
  const { message } = (await response.json().catch(() => ({}))) as { message?: string };
  return message ?? `The server answered ${response.status}.`;
}

/** Gives what went wrong, or undefined. */
export async function signIn(email: string, password: string): Promise<string | undefined> {
  known = undefined;
  return post('/sign-in/email', { email, password });
}

export interface SignUp {
  readonly email: string;
  readonly password: string;
  readonly name: string;
  readonly emailOptIn: boolean;
  readonly adClickId: string | undefined;
}

export async function signUp(given: SignUp): Promise<string | undefined> {
  known = undefined;
  return post('/sign-up/email', given);
}

export async function signOut(): Promise<string | undefined> {
  known = undefined;
  return post('/sign-out', {});
}

/** The user of the session, or undefined when signed out or offline. */
export async function sessionUser(): Promise<SessionUser | undefined> {
  const response = await fetch('/auth/get-session').catch(() => undefined);
  if (response === undefined || !response.ok) return undefined;
  const session = (await response.json()) as { user: SessionUser } | null;
  return session?.user;
}

/** An identity token for the admin API, or undefined when nobody is signed in. */
export async function identityAuth(): Promise<Auth | undefined> {
  if (known === undefined || known.expiresAtMs - Date.now() < SPARE_MS) {
    if ((await sessionUser()) === undefined) return undefined;
    const response = await fetch('/auth/token');
    if (!response.ok) return undefined;
    const { token } = (await response.json()) as { token: string };
    known = { token, expiresAtMs: expiryOf(token) };
  }
  return { type: AUTH_TYPE, token: known.token };
}

function expiryOf(token: string): number {
  const body = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
  return (JSON.parse(atob(body)) as { exp: number }).exp * 1000;
}
