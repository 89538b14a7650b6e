/** Sign-in with email and password, in this process and this database (better-auth). Its tables are its own; users of the product are in `Users`. */

import { FixpointError } from '@fixpoint/protocol';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { jwt } from 'better-auth/plugins';
import { magicLink } from 'better-auth/plugins/magic-link';
import { sql } from 'kysely';
import { resetLetter, signInLetter, verifyLetter } from '../mail/letters.ts';
import type { Mail, Mailer } from '../mail/mailer.ts';
import type { Db } from '../tables/database.ts';
import { createDoor, IP_HEADER, type SecurityEvent } from './door.ts';
import type { Identity } from './identity.ts';
import { checkProvider, OIDC_PROVIDER, type OidcClient, oidcPlugin } from './oidc.ts';
import { handleSessions } from './sessions.ts';
import { createVerifier } from './verifier.ts';

const TYPE = 'fixpoint';
const AUDIENCE = 'fp-cloud';
const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;
const MAGIC_LINK_SECONDS = 300;

/** The first secret encrypts and signs; all of them decrypt. Losing one that is in use makes the keys of identity tokens unreadable. */
export type AuthSecrets = readonly { readonly version: number; readonly value: string }[];

export interface PasswordHash {
  hash(password: string): Promise<string>;
  verify(tried: { readonly hash: string; readonly password: string }): Promise<boolean>;
}

export interface BuiltinParts {
  readonly db: Db;
  readonly database: 'sqlite' | 'postgres';
  readonly publicUrl: string;
  /** Where a proxy has put this server, such as `/fixpoint`; empty for the root. */
  readonly basePath: string;
  readonly secrets: AuthSecrets;
  readonly mailer: Mailer;
  readonly signUp: 'open' | 'waitlist' | 'closed';
  /** How passwords are hashed; default scrypt, slowly. */
  readonly password?: PasswordHash;
  /** A provider by which people sign in instead of with a password. */
  readonly oidc?: OidcClient | undefined;
  readonly now: () => number;
  /** Hears of each attempt to come in. */
  readonly note?: (event: SecurityEvent) => void;
  /** Hears of failures that are no refusals: faults of this server. */
  readonly report: (error: unknown) => void;
}

export async function builtinIdentity(parts: BuiltinParts): Promise<Identity> {
  const { publicUrl, now } = parts;
  const options = optionsOf(parts);
  await (await getMigrations(options)).runMigrations();
  const auth = betterAuth(options);
  await dropLostKeys(parts.db, () => auth.api.signJWT({ body: { payload: { sub: 'probe' } } }));
  const readKeys = async () => {
    const response = await auth.handler(new Request(`${publicUrl}/auth/jwks`));
    return response.json();
  };
  const check = { type: TYPE, issuer: publicUrl, audience: AUDIENCE, algorithm: 'EdDSA' };
  const isTrusted = (origin: string) => trustedOrigins(publicUrl).includes(origin);
  let federated: Promise<{ handler: typeof auth.handler }> | undefined;
  /** A provider that did not answer once is asked again with the next request. */
  const providerFor = async (request: Request): Promise<{ handler: typeof auth.handler }> => {
    const { oidc } = parts;
    if (!FEDERATED.includes(new URL(request.url).pathname)) return auth;
    if (oidc === undefined) throw new FixpointError('NOT_FOUND');
    federated ??= withProvider(oidc, options, parts.signUp === 'closed').catch((cause) => {
      federated = undefined;
      throw cause;
    });
    return federated;
  };
  const handle = createDoor(async (request) => {
    const origin = request.headers.get('origin');
    if (request.method === 'POST' && origin !== null && !isTrusted(origin))
      throw new FixpointError('FORBIDDEN');
    return (await handleSessions(auth.api, request)) ?? (await providerFor(request)).handler(request);
  }, parts.note);
  return { type: TYPE, handle, verify: createVerifier(check, readKeys, now) };
}

const FEDERATED = ['/auth/sign-in/social', `/auth/callback/${OIDC_PROVIDER}`];

/** The same sessions and users, with the provider beside. */
async function withProvider(oidc: OidcClient, options: ReturnType<typeof optionsOf>, isClosed: boolean) {
  await checkProvider(oidc);
  return betterAuth({ ...options, plugins: [...options.plugins, oidcPlugin(oidc, isClosed)] });
}

/**
 * Keys of identity tokens that were encrypted with a secret that is gone: nobody could sign in any more. New ones are made instead, which costs nothing but the
 * tokens of the last five minutes.
 */
async function dropLostKeys(db: Db, signSomething: () => Promise<unknown>): Promise<void> {
  try {
    await signSomething();
  } catch (cause) {
    if (!/decrypt/.test((cause as Error).message)) throw cause;
    await sql`delete from jwks`.execute(db);
    await signSomething();
  }
}

function optionsOf({
  db,
  database,
  basePath,
  publicUrl,
  secrets,
  mailer,
  signUp,
  report,
  password,
  oidc,
}: BuiltinParts) {
  // A failing mail does not fail what it was for: it can be asked for again.
  const send = (mail: Mail) => mailer.send(mail).catch(report);
  /** The provider knows nothing of a path that a proxy adds. */
  const below = (url: string) => url.replace(publicUrl, `${publicUrl}${basePath}`);
  return {
    baseURL: publicUrl,
    basePath: '/auth',
    secrets: secrets.map((secret) => ({ ...secret })),
    trustedOrigins: trustedOrigins(publicUrl),
    database: { db, type: database },
    logger: { disabled: true },
    onAPIError: { onError: reportFaults(report) },
    telemetry: { enabled: false },
    // The door counts attempts: the provider's own counters know nothing of accounts.
    rateLimit: { enabled: false },
    emailAndPassword: {
      enabled: oidc === undefined,
      ...(password !== undefined && { password }),
      minPasswordLength: 8,
      maxPasswordLength: 256,
      disableSignUp: signUp === 'closed',
      // Who lost a password may have lost a session with it.
      revokeSessionsOnPasswordReset: true,
      resetPasswordTokenExpiresIn: HOUR_SECONDS,
      sendResetPassword: async ({ user, token }: { user: { email: string }; token: string }) =>
        send(resetLetter(user.email, `${publicUrl}${basePath}/login?reset=${encodeURIComponent(token)}`)),
    },
    emailVerification: {
      sendOnSignUp: true,
      expiresIn: DAY_SECONDS,
      sendVerificationEmail: async ({ user, url }: { user: { email: string }; url: string }) =>
        send(verifyLetter(user.email, below(url))),
    },
    // An address alone brings nobody into the account of somebody else.
    account: { accountLinking: { enabled: false } },
    user: {
      additionalFields: {
        emailOptIn: { type: 'boolean' as const, required: false, input: true },
        adClickId: { type: 'string' as const, required: false, input: true },
      },
    },
    advanced: {
      // Said, because the provider leaves out both checks when the environment looks like that of a test.
      disableOriginCheck: false,
      disableCSRFCheck: false,
      cookiePrefix: TYPE,
      useSecureCookies: publicUrl.startsWith('https:'),
      ipAddress: { ipAddressHeaders: [IP_HEADER] },
    },
    plugins: [
      identityTokens(publicUrl),
      ...(oidc === undefined
        ? [
            magicLink({
              expiresIn: MAGIC_LINK_SECONDS,
              storeToken: 'hashed',
              disableSignUp: signUp === 'closed',
              sendMagicLink: async ({ email, url }) => send(signInLetter(email, below(url))),
            }),
          ]
        : []),
    ],
  };
}

/** `GET /auth/token`: who is signed in, for five minutes, with the address and whether it is verified. */
function identityTokens(issuer: string) {
  return jwt({
    disableSettingJwtHeader: true,
    jwks: {
      keyPairConfig: { alg: 'EdDSA' },
      rotationInterval: 30 * DAY_SECONDS,
      gracePeriod: 7 * DAY_SECONDS,
    },
    jwt: {
      issuer,
      audience: AUDIENCE,
      expirationTime: '5m',
      definePayload: ({ user }) => ({
        email: user.email,
        email_verified: user.emailVerified,
        name: user.name,
      }),
    },
  });
}

/** Refusals are answers; what else is thrown is a fault. */
function reportFaults(report: (error: unknown) => void) {
  return (error: unknown) => {
    const { statusCode } = error as { statusCode?: unknown };
    if (typeof statusCode !== 'number' || statusCode >= 500) report(error);
  };
}

/** On this machine the same server answers to both names. */
function trustedOrigins(publicUrl: string): string[] {
  const { protocol, hostname, port } = new URL(publicUrl);
  const names = ['localhost', '127.0.0.1'];
  if (!names.includes(hostname)) return [publicUrl];
  return names.map((name) => `${protocol}//${name}${port && `:${port}`}`);
}
