/** Identity tokens: checked with the provider's published keys, for one issuer, audience and algorithm. What a token's header says of keys is not looked at. */
import { FixpointError } from '@fixpoint/protocol';
import { createLocalJWKSet, errors, type JSONWebKeySet, jwtVerify } from 'jose';
import type { Person } from './identity.ts';

const CLOCK_TOLERANCE_SECONDS = 5;
/** Keys are read again for a token with an unknown one, but not for each. */
const READ_AGAIN_MS = 5000;

export interface TokenCheck {
  /** `auth.type` of the provider. */
  readonly type: string;
  readonly issuer: string;
  readonly audience: string;
  readonly algorithm: string;
}

export function createVerifier(
  { type, issuer, audience, algorithm }: TokenCheck,
  readKeys: () => Promise<unknown>,
  now: () => number,
): (token: string) => Promise<Person> {
  let keys: ReturnType<typeof createLocalJWKSet> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;

  async function currentKeys() {
    readAt = now();
    keys = createLocalJWKSet((await readKeys()) as JSONWebKeySet);
    return keys;
  }

  async function verified(token: string) {
    const options = {
      issuer,
      audience,
      algorithms: [algorithm],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(now()),
      requiredClaims: ['sub', 'exp', 'email'],
    };
    try {
      return await jwtVerify(token, keys ?? (await currentKeys()), options);
    } catch (cause) {
      if (!(cause instanceof errors.JWKSNoMatchingKey) || now() - readAt < READ_AGAIN_MS) throw cause;
      return jwtVerify(token, await currentKeys(), options);
    }
  }

  return async (token) => {
    try {
      const { payload } = await verified(token);
      return personOf(type, payload);
    } catch (cause) {
      throw new FixpointError('NOT_SIGNED_IN', undefined, { cause });
    }
  };
}

function personOf(provider: string, claims: Record<string, unknown>): Person {
  const { sub, email, email_verified: emailVerified, name } = claims;
  if (typeof sub !== 'string' || typeof email !== 'string')
    throw new FixpointError('NOT_SIGNED_IN', 'claims');
  return {
    provider,
    providerUserId: sub,
    email,
    emailVerified: emailVerified === true,
    name: typeof name === 'string' ? name : email,
  };
}
