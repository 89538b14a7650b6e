/**
 * Secrets of sessions with applications. The tables contain only hashes of them. An application
 * generates its refresh tokens itself, so that it can repeat a refresh whose answer was lost. A
 * refresh token is a secret that all tokens of the session share, a dot, and a secret of its own.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { hashOfSecret } from './new-api-token.ts';

/** Seconds within which an application must exchange a code. */
export const CODE_SECONDS = 60;

export const newApplicationCode = (): string => randomBytes(32).toString('base64url');

/** Returns the hash of the secret that all refresh tokens of a session share. */
export const familyHashOf = (refreshToken: string): string =>
  hashOfSecret(refreshToken.slice(0, refreshToken.indexOf('.')));

/** Returns whether a verifier belongs to a challenge (PKCE, S256). */
export function isVerifierOf(challenge: string, verifier: string): boolean {
  const given = createHash('sha256').update(verifier).digest();
  const wanted = Buffer.from(challenge, 'base64url');
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
