/** Authorization code flow with PKCE (RFC 7636, S256) and state. */
import { FixpointError, SIGN_IN_ANSWER } from '@fixpoint/protocol';
import type { SessionEnvironment } from '../ports/session-environment.ts';
import type { Ask } from './session-calls.ts';
import type { KeptSession, PendingSignIn, SessionMemory } from './session-memory.ts';
import type { SessionUser } from './session-types.ts';

const SECRET_BYTES = 32;
const FAMILY_BYTES = 16;

/** The code, or the error, in the fragment of the redirect URL. */
interface Returned {
  readonly state: string;
  readonly code: string | undefined;
  readonly pending: PendingSignIn;
}

/** Returns the redirect URL for a page: its address without query and fragment. */
export function pageUrl(address: string): string {
  const url = new URL(address);
  return `${url.origin}${url.pathname}`;
}

/** Remembers a sign-in, and returns the address of the page that signs the person in. */
export async function beginSignIn(
  { secret, hash, now }: SessionEnvironment,
  memory: SessionMemory,
  { base, app, redirectUrl }: { readonly base: string; readonly app: string; readonly redirectUrl: string },
  isPopup: boolean,
): Promise<{ readonly state: string; readonly url: string }> {
  const [verifier, state] = [secret(SECRET_BYTES), secret(SECRET_BYTES)];
  memory.addPending(state, { verifier, redirectUrl, isPopup, beganAtMs: now() });
  const query = new URLSearchParams({
    app,
    redirect_url: redirectUrl,
    challenge: await hash(verifier),
    state,
  });
  return { state, url: `${base}/fp/cloud/authorize?${query}` };
}

/**
 * Returns what the sign-in page returned, and removes it from the address of the page. Ignores
 * answers to a sign-in that this application didn't begin on this device.
 */
export function takeReturned(
  { address, replaceAddress }: SessionEnvironment,
  memory: SessionMemory,
): Returned | undefined {
  const url = new URL(address());
  const answer = new URLSearchParams(url.hash.slice(1));
  const state = answer.get(SIGN_IN_ANSWER.state);
  const code = answer.get(SIGN_IN_ANSWER.code) ?? undefined;
  if (state === null || (code === undefined && !answer.has(SIGN_IN_ANSWER.error))) return undefined;
  const pending = memory.takePending(state);
  if (pending === undefined) return undefined;
  url.hash = '';
  replaceAddress(url.href);
  return { state, code, pending };
}

/**
 * Exchanges a code for a session.
 * @throws FixpointError FORBIDDEN if the person didn't agree, NOT_SIGNED_IN for a code that isn't
 * valid, FETCH
 */
export async function finishSignIn(
  { secret }: SessionEnvironment,
  ask: Ask,
  { code, pending: { verifier, redirectUrl } }: Returned,
): Promise<{ readonly kept: KeptSession; readonly answer: Record<string, unknown> }> {
  if (code === undefined) throw new FixpointError('FORBIDDEN', 'the person did not agree');
  const refreshToken = newRefreshToken({ secret });
  const answer = await ask('reqBeginApplicationSession', { code, redirectUrl, verifier, refreshToken });
  if (answer['status'] !== 'open') throw new FixpointError('NOT_SIGNED_IN', 'the code is not valid');
  return { kept: { refreshToken, user: userIn(answer) }, answer };
}

/** Returns the first refresh token of a new session. */
export const newRefreshToken = ({ secret }: Pick<SessionEnvironment, 'secret'>): string =>
  `${secret(FAMILY_BYTES)}.${secret(SECRET_BYTES)}`;

/** Returns the secret that all refresh tokens of a session share. */
export const familyOf = (refreshToken: string): string | undefined => refreshToken.split('.')[0];

/** Returns the token that replaces a refresh token. */
export const successorOf = ({ secret }: Pick<SessionEnvironment, 'secret'>, refreshToken: string): string =>
  `${familyOf(refreshToken)}.${secret(SECRET_BYTES)}`;

/** @throws FixpointError UNEXPECTED_RESPONSE */
export function userIn(answer: Record<string, unknown>): SessionUser {
  const { userId, email, name } = (answer['user'] ?? {}) as Record<string, unknown>;
  if (typeof userId !== 'string' || typeof email !== 'string' || typeof name !== 'string')
    throw new FixpointError('UNEXPECTED_RESPONSE', 'user');
  return { userId, email, name };
}
