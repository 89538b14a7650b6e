/** Fields of requests about applications that sign in their own users (decision 0173). */
import * as v from 'valibot';
import { urlOf } from '../url.ts';

/** Separate from `LIMITS`, which every client loads. */
export const APPLICATION_LIMITS = {
  /** Default of the operator's setting. */
  perTenantMax: 10,
  /** Sessions of one user with one application. A new session ends the oldest. */
  sessionsPerUserMax: 20,
  /** Default of the operator's setting: users whom the applications of a tenant bring along. */
  usersPerTenantMax: 10_000,
  /** Databases in the rights of one such user. */
  rightsPerUserMax: 100,
} as const;

const URL_CHARS_MAX = 2048;
const ADDRESSES_MAX = 20;

const isLoopback = ({ hostname }: URL): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(hostname);

/**
 * Returns the URL if it is exactly this text, names one host, and its scheme is https, or http on
 * this machine. URLs may contain asterisks, but these would not stand for other names.
 */
function safeUrl(text: string, partOf: (url: URL) => string): URL | undefined {
  const url = urlOf(text);
  if (url === undefined || partOf(url) !== text || url.hostname.includes('*')) return undefined;
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
  return isSafe && url.username === '' && url.password === '' ? url : undefined;
}

const isOrigin = (text: string): boolean => safeUrl(text, ({ origin }) => origin) !== undefined;

/** The fragment of a redirect URL belongs to Fixpoint. */
const isRedirectUrl = (text: string): boolean =>
  safeUrl(text, ({ href }) => href) !== undefined && !text.includes('#');

export const address = v.pipe(v.string(), v.maxLength(URL_CHARS_MAX));
export const origin = v.pipe(
  address,
  v.check(isOrigin, 'must be an origin such as https://app.example, or http://localhost with a port'),
);
export const redirectUrl = v.pipe(
  address,
  v.check(
    isRedirectUrl,
    'must be a whole https address such as https://app.example/signed-in, or one of http://localhost',
  ),
);
export const listOf = <S extends v.GenericSchema<string, string>>(item: S) =>
  v.pipe(v.array(item), v.minLength(1), v.maxLength(ADDRESSES_MAX));

/** 32 bytes or more as base64url, without padding. */
export const secret = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9_-]{43,128}$/, 'must be 43 to 128 letters, digits, - or _'),
);
export const token = v.pipe(v.string(), v.minLength(1), v.maxLength(32_768));
/**
 * A secret that all refresh tokens of a session share, a dot, and a secret of this token. The first
 * part lets the server recognise replaced tokens.
 */
export const refreshToken = v.pipe(
  v.string(),
  v.regex(
    /^[A-Za-z0-9_-]{22,64}\.[A-Za-z0-9_-]{43,128}$/,
    'must be a secret of the session, a dot, and a secret of the token',
  ),
);

const httpsUrl = v.pipe(
  address,
  v.check(
    (text) => safeUrl(text, ({ href }) => href) !== undefined && !text.includes('#'),
    'must be a whole https address such as https://id.example/keys.json, or one of http://localhost',
  ),
);
/**
 * A server that signs in the users of an application, with tokens that it signs (JWT, RFC 7519).
 * `issuer` and `audience` are the exact values of the claims `iss` and `aud`.
 */
export const issuer = v.object({
  issuer: v.pipe(address, v.minLength(1)),
  /** Where the issuer publishes its public keys. */
  jwksUrl: httpsUrl,
  audience: v.pipe(v.string(), v.minLength(1), v.maxLength(URL_CHARS_MAX)),
});
export type ApplicationIssuer = v.InferOutput<typeof issuer>;
