/**
 * Signed URLs: `/obj/<tenant>/<ledger>/<store>/<key>?e=<expiry, s since
 * 1970>&m=<method>&s=<signature>`, where the signature is HMAC-SHA256 over version, method, host,
 * path and expiry. A URL is valid for one method, one object, one host and at most five minutes.
 * Another spelling of the same URL is invalid. Parameters are sorted by name, because some clients
 * sort them.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { LIMITS } from '@fixpoint/protocol';

export type ObjectMethod = 'GET' | 'PUT' | 'DELETE';
const OBJECT_PREFIX = '/obj/';

const FORM =
  /^\/obj\/([A-Za-z0-9._/~-]{1,1300})\?e=([1-9][0-9]{0,11})&m=(GET|PUT|DELETE)&s=([A-Za-z0-9_-]{43})$/;

export interface UrlSigner {
  /**
   * Returns the path and query to append to an origin. `lifeSeconds` can only shorten the life of
   * the URL.
   */
  sign(method: ObjectMethod, host: string, path: string, lifeSeconds?: number): string;
  /**
   * Returns the path of the object; undefined unless this server signed the URL for this method,
   * host and time.
   */
  verify(method: string, host: string, target: string): string | undefined;
}

export function urlSigner(secret: Uint8Array, now: () => number): UrlSigner {
  const signature = (method: string, host: string, path: string, expires: string) =>
    createHmac('sha256', secret).update(`v1\n${method}\n${host}\n${path}\n${expires}`).digest('base64url');
  return {
    sign: (method, host, path, lifeSeconds) => {
      const expires = String(Math.floor(now() / 1000) + boundedLife(lifeSeconds));
      return `${OBJECT_PREFIX}${path}?e=${expires}&m=${method}&s=${signature(method, host, path, expires)}`;
    },
    verify: (method, host, target) => {
      const [, path = '', expires = '', signedMethod = '', given = ''] = FORM.exec(target) ?? [];
      const wanted = Buffer.from(signature(signedMethod, host, path, expires));
      const actual = Buffer.from(given);
      const isOurs = wanted.length === actual.length && timingSafeEqual(wanted, actual);
      const isFresh = Number(expires) * 1000 > now();
      return isOurs && isFresh && signedMethod === method ? path : undefined;
    },
  };
}

/** Returns the lifetime to grant for a requested lifetime, in seconds. */
export const boundedLife = (seconds: number = LIMITS.signedUrlSecondsMax): number =>
  Number.isFinite(seconds)
    ? Math.max(1, Math.min(Math.floor(seconds), LIMITS.signedUrlSecondsMax))
    : LIMITS.signedUrlSecondsMax;
