/**
 * Configures the identity library: the ways to sign in, the texts of mails, and the contents of
 * sessions.
 */
import type { BetterAuthPlugin } from 'better-auth';
import { APIError } from 'better-auth/api';
import { jwt, twoFactor } from 'better-auth/plugins';
import { magicLink } from 'better-auth/plugins/magic-link';
import { networksOf } from '../limits/network.ts';
import { passwordLetter, resetLetter, signInLetter, verifyLetter } from '../mail/letters.ts';
import type { Mail } from '../mail/mailer.ts';
import { endForFirstLink, endForNewPassword } from './answered-mail.ts';
import type { BuiltinParts } from './builtin.ts';
import { cookieOptions } from './cookies.ts';
import { IP_HEADER } from './door.ts';
import { passkeys } from './passkeys.ts';
import { scryptPasswords } from './passwords/password-hash.ts';
import { asksForCode, createSessionRules, type Endpoint } from './session-rules.ts';
import { withSignUpChoice } from './sign-up-choice.ts';

export const AUDIENCE = 'fp-cloud';
const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;
/** Days without use after which a session ends. */
export const SESSION_IDLE_DAYS = 7;
const MAGIC_LINK_SECONDS = 300;
const FIRST_LINK = '/magic-link/verify';

/** What the library passes on about the request that caused a mail. */
type Requested = { readonly headers?: Headers | undefined } | null | undefined;

export function optionsOf(parts: BuiltinParts) {
  const { db, basePath, publicUrl, signUp, oidc, hasOwnWays, password = scryptPasswords } = parts;
  // A failed mail doesn't fail the request: the user can request another one.
  const send = (mail: Mail, request: Requested) => {
    const address = request?.headers?.get(IP_HEADER);
    const network = address == null ? undefined : networksOf(address).own;
    return parts.mailer.send(mail, network).catch(parts.report);
  };
  /** Adds the path of a proxy, which the provider doesn't know. */
  const below = (url: string) => url.replace(publicUrl, `${publicUrl}${basePath}`);
  return {
    baseURL: publicUrl,
    basePath: '/auth',
    secrets: parts.secrets.map((secret) => ({ ...secret })),
    trustedOrigins: trustedOrigins(publicUrl),
    database: { db, type: parts.database },
    logger: { disabled: true },
    onAPIError: { onError: reportFaults(parts.report) },
    telemetry: { enabled: false },
    // The door counts attempts: the provider's own counters don't know accounts.
    rateLimit: { enabled: false },
    emailAndPassword: {
      enabled: hasOwnWays,
      password,
      minPasswordLength: 8,
      maxPasswordLength: 256,
      disableSignUp: signUp === 'closed',
      onPasswordReset: ({ user }: { user: { id: string } }) => endForNewPassword(db, user.id, parts.now()),
      resetPasswordTokenExpiresIn: HOUR_SECONDS,
      sendResetPassword: async (
        { user, token }: { user: { email: string }; token: string },
        request: Requested,
      ) =>
        send(
          resetLetter(user.email, `${publicUrl}${basePath}/login?reset=${encodeURIComponent(token)}`),
          request,
        ),
    },
    // A leaked database must not reveal the links that were mailed.
    verification: { storeIdentifier: 'hashed' as const },
    emailVerification: {
      sendOnSignUp: true,
      expiresIn: DAY_SECONDS,
      sendVerificationEmail: async (
        { user, url }: { user: { email: string }; url: string },
        request: Requested,
      ) => send(verifyLetter(user.email, below(url)), request),
    },
    // An address alone must not give access to somebody else's account.
    account: { accountLinking: { enabled: false } },
    user: {
      additionalFields: {
        emailOptIn: { type: 'boolean' as const, required: false, input: true },
        adClickId: { type: 'string' as const, required: false, input: true },
        // Where nobody can sign up here directly, all input comes from the provider.
        ...(oidc?.hasOrganizations && {
          organization: { type: 'string' as const, required: false, input: !hasOwnWays },
        }),
      },
    },
    session: {
      expiresIn: SESSION_IDLE_DAYS * DAY_SECONDS,
      // The extension of a session by use is stored at most once a day.
      updateAge: DAY_SECONDS,
      // `confirm.ts` has the rules for sessions that aren't fresh.
      freshAge: 0,
      additionalFields: {
        strong: { type: 'boolean' as const, required: false, input: false },
        confirmedAt: { type: 'date' as const, required: false, input: false },
      },
    },
    databaseHooks: {
      session: { create: { before: createSessionRules(db, parts.now, hasOwnWays) } },
      user: {
        create: { before: withSignUpChoice },
        update: {
          after: async (user: { id: string }, endpoint: Endpoint | null) => {
            // The only change to an account there is that its address is now proven.
            if (endpoint?.path === FIRST_LINK) await endForFirstLink(db, user.id, parts.now());
          },
        },
      },
      account: { create: { before: withoutTokens }, update: { before: withoutTokens } },
    },

    advanced: {
      // Set explicitly: the provider skips both checks when the environment looks like that of a
      // test.
      disableOriginCheck: false,
      disableCSRFCheck: false,
      ...cookieOptions(publicUrl, basePath),
      ipAddress: { ipAddressHeaders: [IP_HEADER] },
    },
    plugins: [
      identityTokens(publicUrl, parts.secondFactor === 'required' && hasOwnWays),
      ...(hasOwnWays ? ownWaysIn(parts, send, below) : []),
    ] as BetterAuthPlugin[],
  };
}

/** Drops the provider's tokens: they are used once to sign the user in, and not stored. */
const withoutTokens = async <A extends object>(account: A) => ({
  data: { ...account, accessToken: null, refreshToken: null, idToken: null },
});

/** Returns the plugins for ways to sign in besides the password. */
function ownWaysIn(
  { db, publicUrl, signUp }: BuiltinParts,
  send: (mail: Mail, request: Requested) => Promise<unknown>,
  below: (url: string) => string,
) {
  return [
    magicLink({
      expiresIn: MAGIC_LINK_SECONDS,
      storeToken: 'hashed',
      disableSignUp: signUp === 'closed',
      sendMagicLink: async ({ email, url }, endpoint) => {
        const letter = (await asksForCode(db, email))
          ? passwordLetter(email, below(`${publicUrl}/login`))
          : signInLetter(email, below(url));
        await send(letter, endpoint);
      },
    }),
    passkeys(publicUrl, trustedOrigins(publicUrl)),
    twoFactor({ issuer: 'Fixpoint', backupCodeOptions: { storeBackupCodes: 'encrypted' } }),
  ];
}

/**
 * Configures `GET /auth/token`: returns a token that says who is signed in, with the address and
 * whether it is verified. It is valid for five minutes.
 */
function identityTokens(issuer: string, needsTwoFactors: boolean) {
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
      definePayload: ({ user, session }) => {
        if (needsTwoFactors && session['strong'] !== true)
          throw new APIError('FORBIDDEN', {
            code: 'SECOND_FACTOR_NEEDED',
            message: 'sign in with your second factor',
          });
        const organization = JSON.parse(String(user['organization'] ?? 'null')) as unknown;
        return {
          email: user.email,
          email_verified: user.emailVerified,
          name: user.name,
          sid: session.id,
          ...(organization !== null && { organization }),
        };
      },
    },
  });
}

/** Reports errors that aren't rejections: those are faults. */
function reportFaults(report: (error: unknown) => void) {
  return (error: unknown) => {
    const { statusCode } = error as { statusCode?: unknown };
    if (typeof statusCode !== 'number' || statusCode >= 500) report(error);
  };
}

/** Returns the origins of this server: on this machine it answers to both names. */
export function trustedOrigins(publicUrl: string): string[] {
  const { protocol, hostname, port } = new URL(publicUrl);
  const names = ['localhost', '127.0.0.1'];
  if (!names.includes(hostname)) return [publicUrl];
  return names.map((name) => `${protocol}//${name}${port && `:${port}`}`);
}
