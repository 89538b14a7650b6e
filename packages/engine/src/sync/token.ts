import type { Time } from '../ports/time.ts';

/** A token with less than this left is replaced before it is used. */
const SPARE_MS = 120_000;

/** Gives a token that lasts a while, asking for a new one only when it has to. */
export function freshToken(source: string | (() => Promise<string>), time: Time): () => Promise<string> {
  if (typeof source === 'string') return async () => source;
  let known: { token: string; expiresAtMs: number } | undefined;
  return async () => {
    if (known === undefined || known.expiresAtMs - time.now() < SPARE_MS) {
      const token = await source();
      known = { token, expiresAtMs: expiryOf(token) ?? time.now() + 2 * SPARE_MS };
    }
    return known.token;
  };
}

/** The expiry that a token claims, which the gateway checks; here it only says when to ask for a new one. */
function expiryOf(token: string): number | undefined {
  try {
    const body = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const { exp } = JSON.parse(atob(body)) as { exp?: unknown };
    return typeof exp === 'number' ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}
