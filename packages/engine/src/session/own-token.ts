/** Exchanges tokens of the application's own issuer for sessions (decision 0186). */
import { FixpointError } from '@fixpoint/protocol';
import type { SessionEnvironment } from '../ports/session-environment.ts';
import type { Ask } from './session-calls.ts';
import type { KeptSession } from './session-memory.ts';
import { newRefreshToken, userIn } from './sign-in.ts';

/** Returns the token of the person who is signed in to the application; undefined if nobody is. */
export type ReadToken = () => Promise<string | undefined>;

/** A session that began, and the answer that began it. */
export interface BegunSession {
  readonly kept: KeptSession;
  readonly answer: Record<string, unknown>;
}

/**
 * Begins a session.
 * @throws FixpointError NOT_SIGNED_IN for a token that isn't valid, FETCH
 */
export async function exchangeToken(
  environment: Pick<SessionEnvironment, 'secret'>,
  ask: Ask,
  token: string,
): Promise<BegunSession> {
  const refreshToken = newRefreshToken(environment);
  const answer = await ask('reqExchangeApplicationToken', { token, refreshToken });
  if (answer['status'] !== 'open') throw new FixpointError('NOT_SIGNED_IN', 'the server refused the user');
  const person = personOf(token);
  const kept = { refreshToken, user: userIn(answer), ...(person !== undefined && { person }) };
  return { kept, answer };
}

/** Milliseconds in which the application must return its token. */
const TOKEN_MS = 10_000;

/**
 * Calls the function of the application.
 * @throws FixpointError FETCH if it fails or takes too long: an application without a connection
 * may not know who is signed in
 */
export async function tokenFrom(
  { after }: Pick<SessionEnvironment, 'after'>,
  readToken: ReadToken,
): Promise<string | undefined> {
  try {
    const late = new Promise<never>((_, reject) => after(TOKEN_MS, () => reject(new Error('no answer'))));
    const token: unknown = await Promise.race([readToken(), late]);
    return typeof token === 'string' && token !== '' ? token : undefined;
  } catch (cause) {
    throw new FixpointError('FETCH', 'the token of the application', { cause });
  }
}

/**
 * Returns the issuer and the subject of a token, which only the server verifies; undefined for
 * other text.
 */
export function personOf(token: string): string | undefined {
  try {
    const text = token.split('.')[1] ?? '';
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) =>
      one.charCodeAt(0),
    );
    const { iss, sub } = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
    return typeof sub === 'string' ? JSON.stringify([iss, sub]) : undefined;
  } catch {
    return undefined;
  }
}
