/** Keeps an access token in memory, and refreshes it before it expires. */
import { FixpointError } from '@fixpoint/protocol';
import type { SessionEnvironment } from '../ports/session-environment.ts';
import type { BegunSession } from './own-token.ts';
import type { Ask } from './session-calls.ts';
import type { KeptSession, SessionMemory } from './session-memory.ts';
import { familyOf, successorOf, userIn } from './sign-in.ts';

/** A token that expires within this time is replaced before it is used. */
const SPARE_MS = 60_000;

export interface AccessToken {
  /** Keeps the token of an answer. */
  take(answer: Record<string, unknown>): void;
  forget(): void;
  /**
   * Runs a request with a valid token, and once more with a new token if the server rejects it.
   * @throws FixpointError NOT_SIGNED_IN when the session has ended, FETCH
   */
  use<T>(work: (accessToken: string) => Promise<T>): Promise<T>;
}

/**
 * Turns a refusal into an ended session: the server would refuse the same tokens again. A server
 * that fails or can't be reached ends nothing.
 */
function endedIfRefused(cause: unknown): Record<string, unknown> {
  if (cause instanceof FixpointError && cause.code !== 'FETCH') return { status: 'ended' };
  throw cause;
}

/**
 * @param onEnded called when the server says that the session has ended
 * @param renew begins a new session of the same user, if the application can; undefined otherwise
 */
export function accessTokenOf(
  environment: SessionEnvironment,
  memory: SessionMemory,
  ask: Ask,
  onEnded: () => void,
  renew: (kept: KeptSession) => Promise<BegunSession | undefined>,
): AccessToken {
  let known: { readonly token: string; readonly useUntilMs: number } | undefined;
  let refreshing: Promise<string> | undefined;

  function take(answer: Record<string, unknown>): string {
    const { accessToken, expiresInSec } = answer;
    if (typeof accessToken !== 'string' || typeof expiresInSec !== 'number')
      throw new FixpointError('UNEXPECTED_RESPONSE', 'access token');
    known = { token: accessToken, useUntilMs: environment.now() + expiresInSec * 1000 - SPARE_MS };
    return accessToken;
  }

  async function refresh(): Promise<string> {
    const kept = memory.session();
    if (kept === undefined) throw new FixpointError('NOT_SIGNED_IN');
    const { refreshToken } = kept;
    // Stored before it is sent: if the answer is lost, the next refresh sends the same two tokens.
    const next = kept.next ?? successorOf(environment, refreshToken);
    memory.keepSession({ ...kept, next });
    const answer = await ask('reqRefreshApplicationSession', { refreshToken, next }).catch(endedIfRefused);
    const now = memory.session();
    // Another page may have refreshed, signed out or signed in during the request.
    const isOwn = now?.refreshToken === refreshToken;
    // Never use the token of a user who has signed out, maybe with another user signed in since.
    if (now === undefined || familyOf(now.refreshToken) !== familyOf(refreshToken))
      throw new FixpointError('NOT_SIGNED_IN', 'the session has ended');
    if (answer['status'] === 'ended') {
      const renewed = isOwn ? await renew(kept) : undefined;
      // The person may have signed out during the request.
      if (renewed !== undefined && memory.session()?.refreshToken === refreshToken) {
        memory.keepSession(renewed.kept);
        return take(renewed.answer);
      }
      if (isOwn) onEnded();
      throw new FixpointError('NOT_SIGNED_IN', 'the session has ended');
    }
    const { next: _, ...unchanged } = kept;
    if (isOwn) memory.keepSession({ ...unchanged, refreshToken: next, user: userIn(answer) });
    return take(answer);
  }

  const get = async (): Promise<string> => {
    if (known !== undefined && environment.now() < known.useUntilMs) return known.token;
    refreshing ??= environment.alone(memory.keys.session, refresh).finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  };

  return {
    take: (answer) => void take(answer),
    forget: () => {
      known = undefined;
    },
    use: async (work) => {
      const token = await get();
      try {
        return await work(token);
      } catch (cause) {
        if (!(cause instanceof FixpointError) || cause.code !== 'NOT_SIGNED_IN') throw cause;
        if (known?.token === token) known = undefined;
        return work(await get());
      }
    },
  };
}
