/**
 * Signs and verifies tokens for the storage gateway: ES256, with the claims that existing clients
 * read. The claims contain the rights at the time of signing, but the gateway looks up the current
 * rights.
 */
import { randomUUID } from 'node:crypto';
import { FixpointError } from '@fixpoint/protocol';
import { CLOUD_TOKEN_SECONDS } from '@fixpoint/protocol/admin';
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTHeaderParameters,
  jwtVerify,
  SignJWT,
} from 'jose';
import type { DeviceCertificate } from './device-keys.ts';

export const ISSUER = 'FP_CLOUD';
export const AUDIENCE = 'fp-cloud-jwk';
const TYPE = 'fp-cloud+jwt';
const CERTIFICATE_TYPE = 'CERT+JWT';
const EXPIRY_TOLERANCE_SECONDS = 5;
/**
 * Allowed difference between the clocks of two gateways, or of one clock before and after somebody
 * set it. Accepting a token from the future is safe, because its signature proves that one of our
 * gateways issued it.
 */
const CLOCK_DIFFERENCE_SECONDS = 120;

export interface CloudClaims {
  readonly userId: string;
  readonly email: string;
  /** When the user was created, ISO text. */
  readonly created: string;
  readonly tenants: readonly { readonly id: string; readonly role: 'admin' | 'member' }[];
  readonly ledgers: readonly {
    readonly id: string;
    readonly role: 'admin' | 'member';
    readonly right: 'read' | 'write';
  }[];
  /**
   * The id of the API token, or of the session with an application, that requested this cloud
   * token. When it ends, so does the access of this cloud token.
   */
  readonly apiToken?: string;
  /**
   * The tenant and ledger that a database attaches to. `appId` is the application that
   * requested the token with `reqEnsureCloudToken`.
   */
  readonly selected: { readonly tenant?: string; readonly ledger?: string; readonly appId?: string };
  /** When the first token in this chain of extensions was created, in seconds. */
  readonly since?: number;
  /** When the chain of extensions ends, in seconds; set for tokens that were handed off. */
  readonly until?: number;
  /** The id of the session that requested the token. After it ends, the token can't be extended. */
  readonly session?: string;
}

export type VerifiedClaims = CloudClaims & { readonly expiresAtMs: number; readonly since: number };

export interface CloudTokens {
  /** Signs a token that is valid for `lifeSeconds` (default 600), but not after `claims.until`. */
  mint(claims: CloudClaims, lifeSeconds?: number): Promise<string>;
  /**
   * Verifies a token.
   * @throws FixpointError NOT_SIGNED_IN
   */
  verify(token: string): Promise<VerifiedClaims>;
  /** Signs a certificate for the key of a device. */
  certify(payload: DeviceCertificate): Promise<string>;
  /** Returns the public keys, as `/.well-known/jwks.json` serves them. */
  jwks(): { keys: JWK[] };
}

export async function newSigningKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return exportJWK(privateKey);
}

/**
 * Creates the signer and verifier.
 * @param secrets private keys from `newSigningKey`: the first one signs, all of them verify.
 * `rotateTokenKeys` changes their order.
 */
export async function createCloudTokens(secrets: readonly JWK[], now: () => number): Promise<CloudTokens> {
  const keys = await Promise.all(secrets.map(openKey));
  const [current] = keys;
  if (current === undefined) throw new FixpointError('CONFIG_INVALID', 'there is no key for cloud tokens');
  const keyFor = ({ kid }: JWTHeaderParameters) => {
    const key = keys.find((one) => one.kid === kid);
    if (key === undefined) throw new FixpointError('NOT_SIGNED_IN', 'the token is not valid');
    return key.verifying;
  };
  return {
    mint: (claims, lifeSeconds = CLOUD_TOKEN_SECONDS) => {
      const at = Math.floor(now() / 1000);
      const end = Math.min(at + lifeSeconds, claims.until ?? Number.POSITIVE_INFINITY);
      return new SignJWT({ since: at, ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: current.kid, typ: TYPE })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setSubject(claims.userId)
        .setJti(randomUUID())
        .setIssuedAt(at)
        .setNotBefore(at)
        .setExpirationTime(end)
        .sign(current.signing);
    },
    verify: async (token) => {
      try {
        const { payload } = await jwtVerify<CloudClaims>(token, keyFor, {
          algorithms: ['ES256'],
          issuer: ISSUER,
          audience: AUDIENCE,
          typ: TYPE,
          clockTolerance: CLOCK_DIFFERENCE_SECONDS,
          currentDate: new Date(now()),
          requiredClaims: ['sub', 'exp', 'iat', 'jti', 'userId'],
        });
        const isWhole = typeof payload.userId === 'string' && payload.sub === payload.userId;
        if (!isWhole || payload.exp === undefined) throw new Error('claims');
        if (payload.exp + EXPIRY_TOLERANCE_SECONDS <= now() / 1000) throw new Error('expired');
        return {
          ...payload,
          since: payload.since ?? (payload.iat as number),
          expiresAtMs: payload.exp * 1000,
        };
      } catch (cause) {
        throw new FixpointError('NOT_SIGNED_IN', 'the token is not valid', { cause });
      }
    },
    certify: (certificate) =>
      new SignJWT({ ...certificate })
        .setProtectedHeader({ alg: 'ES256', kid: current.kid, typ: CERTIFICATE_TYPE })
        .sign(current.signing),
    jwks: () => ({ keys: keys.map(({ published }) => ({ ...published })) }),
  };
}

async function openKey(secret: JWK) {
  const { kty, crv, x, y } = secret;
  const published = { kty, crv, x, y } as JWK;
  const kid = await calculateJwkThumbprint(published);
  return {
    kid,
    signing: await importJWK(secret, 'ES256'),
    verifying: await importJWK(published, 'ES256'),
    published: { ...published, use: 'sig', alg: 'ES256', kid },
  };
}
