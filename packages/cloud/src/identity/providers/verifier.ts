/**
 * Verifies identity tokens with the provider's published keys, for one issuer, audience and
 * algorithm. Ignores keys and key URLs in the header of a token.
 */
import { FixpointError } from '@fixpoint/protocol';
import { createLocalJWKSet, errors, type JSONWebKeySet, jwtVerify } from 'jose';
import type { Person } from '../identity.ts';
import type { Organization } from './organization.ts';

const CLOCK_TOLERANCE_SECONDS = 5;
/** Minimum milliseconds before a token with an unknown key causes another fetch of the keys. */
const READ_AGAIN_MS = 5000;

export interface TokenCheck {
  /** `auth.type` of the provider. */
  readonly type: string;
  readonly issuer: string;
  /**
   * Undefined if the provider sets no audience. `parties` then limits which pages may use a token.
   */
  readonly audience?: string;
  /** Allowed values of `azp`. */
  readonly parties?: readonly string[];
  readonly algorithm: string;
  /** Default: reads the claims of the built-in provider. */
  readonly readClaims?: (claims: Readonly<Record<string, unknown>>) => ClaimedPerson;
}

/** A token's claims about a person, without their id. */
export type ClaimedPerson = Pick<
  Person,
  'email' | 'emailVerified' | 'name' | 'imageUrl' | 'organization' | 'session'
>;

export function createVerifier(
  { type, issuer, audience, parties, algorithm, readClaims = ofOpenId }: TokenCheck,
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
      ...(audience !== undefined && { audience }),
      algorithms: [algorithm],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(now()),
      requiredClaims: ['sub', 'exp', ...(parties === undefined ? [] : ['azp'])],
    };
    try {
      return await jwtVerify(token, keys ?? (await currentKeys()), options);
    } catch (cause) {
      if (!(cause instanceof errors.JWKSNoMatchingKey) || Math.abs(now() - readAt) < READ_AGAIN_MS)
        throw cause;
      return jwtVerify(token, await currentKeys(), options);
    }
  }

  return async (token) => {
    try {
      const { payload } = await verified(token);
      if (parties !== undefined && !parties.includes(String(payload['azp']))) throw new Error('azp');
      if (typeof payload.sub !== 'string') throw new Error('sub');
      return { provider: type, providerUserId: payload.sub, ...readClaims(payload) };
    } catch (cause) {
      throw new FixpointError('NOT_SIGNED_IN', undefined, { cause });
    }
  };
}

/** Reads the claims of our own tokens. Their `organization` is an {@link Organization}. */
function ofOpenId({
  email,
  email_verified: emailVerified,
  name,
  organization,
  sid,
}: Readonly<Record<string, unknown>>): ClaimedPerson {
  if (typeof email !== 'string') throw new FixpointError('NOT_SIGNED_IN', 'claims');
  return {
    email,
    emailVerified: emailVerified === true,
    name: typeof name === 'string' ? name : email,
    ...(typeof sid === 'string' && { session: sid }),
    ...(organization !== undefined && { organization: organization as Organization }),
  };
}
