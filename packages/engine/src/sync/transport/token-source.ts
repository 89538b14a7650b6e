import type { Time } from '../../ports/time.ts';
import { isTokenRefusal } from '../failures.ts';

/** A token that expires within this time is replaced before it is used. */
const SPARE_MS = 120_000;
/**
 * Minimum time to use a new token, whatever lifetime it claims: the clock of this device may be
 * wrong.
 */
const LEAST_USE_MS = 60_000;

export interface TokenSource {
  /**
   * Returns a token that is valid for a while.
   * @throws any error of the application's function
   */
  get(): Promise<string>;
  /**
   * Drops the cached token if it equals `refused`. Without an argument, drops any cached token.
   * Returns whether a new token can be fetched.
   */
  forget(refused?: string): boolean;
}

/** Returns a source that asks the application only when no valid token is cached. */
export function tokenSource(source: string | (() => Promise<string>), time: Time): TokenSource {
  if (typeof source === 'string') return { get: async () => source, forget: () => false };
  let known: { readonly token: string; readonly useUntilMs: number } | undefined;
  let asking: Promise<string> | undefined;

  async function ask(fromApplication: () => Promise<string>): Promise<string> {
    const token = await fromApplication();
    const now = time.now();
    const lifeMs = lifeOf(token, now) ?? 2 * SPARE_MS;
    known = { token, useUntilMs: now + Math.max(lifeMs - SPARE_MS, LEAST_USE_MS) };
    return token;
  }

  return {
    get: async () => {
      if (known !== undefined && time.now() < known.useUntilMs) return known.token;
      asking ??= ask(source).finally(() => {
        asking = undefined;
      });
      return asking;
    },
    forget: (refused) => {
      if (refused === undefined || known?.token === refused) known = undefined;
      return true;
    },
  };
}

/** Makes a request with a token, and once more with a new token if the first was rejected. */
export async function withToken<T>(tokens: TokenSource, ask: (token: string) => Promise<T>): Promise<T> {
  const token = await tokens.get();
  try {
    return await ask(token);
  } catch (cause) {
    if (!isTokenRefusal(cause) || !tokens.forget(token)) throw cause;
    const next = await tokens.get();
    if (next === token) throw cause;
    return ask(next);
  }
}

/** Returns the lifetime that a token claims; only the gateway verifies it. */
function lifeOf(token: string, nowMs: number): number | undefined {
  try {
    const body = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const { exp, iat } = JSON.parse(atob(body)) as { exp?: unknown; iat?: unknown };
    if (typeof exp !== 'number') return undefined;
    // `exp` and `iat` are times of the same clock, so their difference is reliable even if this
    // device's clock is wrong. A cached token may be older, though, so the difference is used only
    // if the token seems expired.
    const leftMs = exp * 1000 - nowMs;
    return typeof iat === 'number' && leftMs <= 0 ? (exp - iat) * 1000 : leftMs;
  } catch {
    return undefined;
  }
}
