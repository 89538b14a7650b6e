/** Tokens for the storage gateway: ES256, with the claims that existing clients read. The claims say what was granted; rights are looked up again. */
import { randomUUID } from 'node:crypto';
import { FixpointError } from '@fixpoint/protocol';
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  jwtVerify,
  SignJWT,
} from 'jose';

export const ISSUER = 'FP_CLOUD';
export const AUDIENCE = 'PUBLIC';
const TYPE = 'fp-cloud+jwt';
const LIFE_SECONDS = 3600;

export interface CloudClaims {
  readonly userId: string;
  readonly email: string;
  readonly created: string;
  readonly tenants: readonly { readonly id: string; readonly role: string }[];
  readonly ledgers: readonly { readonly id: string; readonly role: string; readonly right: string }[];
  readonly selected: { readonly tenant?: string; readonly ledger?: string };
}

export interface CloudTokens {
  mint(claims: CloudClaims): Promise<string>;
  /** @throws FixpointError NOT_SIGNED_IN */
  verify(token: string): Promise<CloudClaims & { readonly expiresAtMs: number }>;
  /** The public keys, as `/.well-known/jwks.json` shows them. */
  jwks(): { keys: JWK[] };
}

export async function newSigningKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return exportJWK(privateKey);
}

/** @param secret private key, as `newSigningKey` made it */
export async function createCloudTokens(secret: JWK): Promise<CloudTokens> {
  const { d: _, ...publicPart } = secret;
  const kid = await calculateJwkThumbprint(publicPart);
  const signingKey = await importJWK(secret, 'ES256');
  const verifyingKey = await importJWK(publicPart, 'ES256');
  return {
    mint: (claims) =>
      new SignJWT({ ...claims })
        .setProtectedHeader({ alg: 'ES256', kid, typ: TYPE })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setSubject(claims.userId)
        .setJti(randomUUID())
        .setIssuedAt()
        .setExpirationTime(`${LIFE_SECONDS}s`)
        .sign(signingKey),
    verify: async (token) => {
      try {
        const options = {
          algorithms: ['ES256'],
          issuer: ISSUER,
          audience: AUDIENCE,
          typ: TYPE,
          clockTolerance: 5,
        };
        const { payload } = await jwtVerify<CloudClaims>(token, verifyingKey, options);
        if (typeof payload.userId !== 'string' || payload.exp === undefined) throw new Error('claims');
        return { ...payload, expiresAtMs: payload.exp * 1000 };
      } catch (cause) {
        throw new FixpointError('NOT_SIGNED_IN', 'the token is not valid', { cause });
      }
    },
    jwks: () => ({ keys: [{ ...publicPart, use: 'sig', alg: 'ES256', kid }] }),
  };
}
