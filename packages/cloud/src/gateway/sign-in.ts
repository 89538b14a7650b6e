/**
 * Identifies the sender of a message. Each message contains a token. Verified tokens are cached, so
 * that each is verified only once.
 */
import { FieldError, mustBe } from '@fixpoint/protocol';
import type { CloudTokens } from '../tokens/cloud-tokens.ts';
import { refuse } from './refusal-answer.ts';

const KNOWN_MAX = 2000;
const TOKEN_CHARS_MAX = 32_768;
type Claims = Awaited<ReturnType<CloudTokens['verify']>>;

export type SignIn = (auth: unknown) => Promise<Claims>;

/**
 * Returns the claims of an `auth` object.
 * @throws FixpointError AUTH_JWK_REQUIRED, NOT_SIGNED_IN
 */
export function createSignIn(tokens: Pick<CloudTokens, 'verify'>, now: () => number): SignIn {
  const known = new Map<string, Claims>();
  return async (auth) => {
    const token = tokenOf(auth);
    const claims = known.get(token);
    if (claims !== undefined && claims.expiresAtMs > now()) return claims;
    const verified = await tokens.verify(token);
    if (known.size >= KNOWN_MAX) known.clear();
    known.set(token, verified);
    return verified;
  };
}

function tokenOf(auth: unknown): string {
  if (auth === undefined) throw refuse('AUTH_JWK_REQUIRED', 'missing auth');
  const { type, params } = objectAt('auth', auth) as { type?: unknown; params?: unknown };
  if (typeof type !== 'string') throw new FieldError('auth.type', mustBe('string', type === undefined));
  if (type !== 'fp-cloud-jwk') throw refuse('NOT_SIGNED_IN', 'Only fp-cloud-jwk is supported');
  const { jwk: token = '' } =
    params === undefined ? {} : (objectAt('auth.params', params) as { jwk?: unknown });
  if (token === '') throw refuse('AUTH_JWK_REQUIRED', 'authJWK is required');
  if (typeof token !== 'string') throw new FieldError('auth.params.jwk', mustBe('string', false));
  if (token.length > TOKEN_CHARS_MAX) throw refuse('NOT_SIGNED_IN', 'the token is not valid');
  return token;
}

function objectAt(path: string, value: unknown): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new FieldError(path, mustBe('object', false));
}
