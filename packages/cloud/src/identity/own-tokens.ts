/**
 * Verifies tokens of applications' own issuers with the keys that each issuer publishes. Ignores
 * keys and key URLs in the header of a token.
 */
import { FixpointError } from '@fixpoint/protocol';
import { type ApplicationIssuer, isSubject, rightsIn } from '@fixpoint/protocol/admin';
import {
  createLocalJWKSet,
  decodeProtectedHeader,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  jwtVerify,
} from 'jose';

/** Algorithms with public keys. With a shared secret, the published keys would be the secret. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const CLOCK_TOLERANCE_SECONDS = 5;
/** How long the keys are used. A key that an issuer withdraws works at most this long. */
const KEYS_MS = 300_000;
/** Minimum time between two fetches of the same keys, whatever tokens somebody sends. */
const FETCH_AGAIN_MS = 5000;
/** The same after a fetch that failed. */
const FAILED_AGAIN_MS = 60_000;
/** Fetches at the same time. More would delay the name lookups of other parts of the server. */
const FETCHES_MAX = 2;
const KEYS_MAX = 50;
/** A token that is older than a day doesn't say what its issuer wants today. */
const TOKEN_AGE_MAX = '1 day';
const ISSUERS_MAX = 1000;
/** A token that ends sessions (OpenID Connect Back-Channel Logout 1.0), which begins none. */
const LOGOUT_TYPE = 'logout+jwt';
const TEXT_CHARS_MAX = 200;

/** The claims of a token about its user. */
interface OwnUser {
  readonly subject: string;
  readonly name: string | undefined;
  readonly email: string | undefined;
  /** Undefined if the token doesn't set rights. */
  readonly rights: Readonly<Record<string, 'read' | 'write'>> | undefined;
  /** When the issuer signed the token. */
  readonly atMs: number;
  readonly expiresAtMs: number;
}

export interface OwnTokens {
  /**
   * Fetches the keys of an issuer unless they are known. Never rejects: without keys, `verify`
   * rejects the token.
   */
  prepare(issuer: ApplicationIssuer, token: string): Promise<void>;
  /**
   * Verifies a token with the keys that are known.
   * @throws FixpointError NOT_SIGNED_IN, which doesn't say why, and FETCH if the keys couldn't be
   * fetched
   */
  verify(issuer: ApplicationIssuer, token: string): Promise<OwnUser>;
}

interface Keys {
  readonly readAtMs: number;
  /** When they were last fetched, or when that failed. */
  readonly triedAtMs: number;
  /** Undefined if the last fetch failed. */
  readonly set: ReturnType<typeof createLocalJWKSet> | undefined;
  readonly ids: ReadonlySet<string>;
}

const NO_KEYS: Omit<Keys, 'triedAtMs'> = {
  readAtMs: Number.NEGATIVE_INFINITY,
  set: undefined,
  ids: new Set(),
};

/** @param fetchJson fetches a URL that a tenant named */
export function createOwnTokens(
  fetchJson: (url: string) => Promise<unknown>,
  now: () => number,
  report: (error: unknown) => void,
): OwnTokens {
  const known = new Map<string, Keys>();
  const fetching = new Map<string, Promise<void>>();

  async function fetchKeys(url: string): Promise<void> {
    const read = await readKeys(url).catch((cause: unknown) => {
      report(cause);
      const before = known.get(url) ?? NO_KEYS;
      // Keys stay in use while the issuer fails, but not longer than if it answered.
      return Math.abs(now() - before.readAtMs) < KEYS_MS ? before : NO_KEYS;
    });
    known.delete(url);
    if (known.size >= ISSUERS_MAX) known.delete(known.keys().next().value ?? '');
    known.set(url, { ...read, triedAtMs: now() });
  }

  async function readKeys(url: string): Promise<Omit<Keys, 'triedAtMs'>> {
    const answer = (await fetchJson(url)) as JSONWebKeySet;
    if (answer.keys.length > KEYS_MAX) throw new Error('too many keys');
    const set = createLocalJWKSet(answer);
    return { readAtMs: now(), set, ids: new Set(answer.keys.flatMap(({ kid }) => kid ?? [])) };
  }

  return {
    prepare: async ({ jwksUrl }, token) => {
      const keys = known.get(jwksUrl);
      const since = (atMs: number) => Math.abs(now() - atMs);
      const isEnough = keys?.set !== undefined && since(keys.readAtMs) < KEYS_MS && hasKeyFor(keys, token);
      const pauseMs = keys?.set === undefined ? FAILED_AGAIN_MS : FETCH_AGAIN_MS;
      if (isEnough || (keys !== undefined && since(keys.triedAtMs) < pauseMs)) return;
      if (fetching.size >= FETCHES_MAX && !fetching.has(jwksUrl)) return;
      const one = fetching.get(jwksUrl) ?? fetchKeys(jwksUrl).finally(() => fetching.delete(jwksUrl));
      fetching.set(jwksUrl, one);
      await one;
    },
    verify: async ({ jwksUrl, issuer, audience }, token) => {
      const keys = known.get(jwksUrl) ?? NO_KEYS;
      const { set } = keys;
      // An issuer that changes its keys must not sign its users out while they can't be fetched.
      const isUnknown = set === undefined || !hasKeyFor(keys, token);
      if (isUnknown || Math.abs(now() - keys.readAtMs) >= KEYS_MS)
        throw new FixpointError('FETCH', 'the keys of the issuer');
      try {
        const { payload, protectedHeader } = await jwtVerify(token, set, {
          issuer,
          audience,
          algorithms: ALGORITHMS,
          clockTolerance: CLOCK_TOLERANCE_SECONDS,
          currentDate: new Date(now()),
          requiredClaims: ['sub', 'exp', 'iat', 'iss', 'aud'],
          maxTokenAge: TOKEN_AGE_MAX,
        });
        if (protectedHeader.typ?.toLowerCase() === LOGOUT_TYPE) throw new errors.JWTInvalid('typ');
        return userIn(payload);
      } catch (cause) {
        throw new FixpointError('NOT_SIGNED_IN', 'the token is not valid', { cause });
      }
    },
  };
}

/** Returns whether the keys contain the one that a token names. */
function hasKeyFor({ ids }: Pick<Keys, 'ids'>, token: string): boolean {
  try {
    const { kid } = decodeProtectedHeader(token);
    return kid === undefined || ids.has(kid);
  } catch {
    // Not a token, so no fetch helps.
    return true;
  }
}

function userIn({ sub, exp, iat, name, email, fixpoint_rights: claimed }: JWTPayload): OwnUser {
  if (!isSubject(sub) || exp === undefined || iat === undefined) throw new errors.JWTInvalid('sub');
  const rights = claimed === undefined ? undefined : rightsIn(claimed);
  if (claimed !== undefined && rights === undefined) throw new errors.JWTInvalid('fixpoint_rights');
  return {
    subject: sub,
    name: lineOf(name),
    email: lineOf(email),
    rights,
    atMs: iat * 1000,
    expiresAtMs: exp * 1000,
  };
}

/** Returns one line of text without control characters, of limited length. */
const lineOf = (claim: unknown): string | undefined =>
  typeof claim === 'string' ? claim.replace(/[\p{Cc}\p{Cs}]/gu, '').slice(0, TEXT_CHARS_MAX) : undefined;
