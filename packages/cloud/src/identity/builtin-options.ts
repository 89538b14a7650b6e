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
import { accountHooks, userFields, userHooks } from './account-options.ts';
import { endForNewPassword } from './answered-mail.ts';
import type { BuiltinParts } from './builtin-parts.ts';
import { IP_HEADER } from './door.ts';
import { passkeys } from './passkeys.ts';
import { scryptPasswords } from './passwords/password-hash.ts';
import { cookieOptions, sessionHooks, sessionOptions } from './session-options.ts';
import { asksForCode } from './session-rules.ts';

export const AUDIENCE = 'fp-cloud';
const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;
const MAGIC_LINK_SECONDS = 300;

/** The request that caused a mail, as the library passes it on. */
type Requested = { readonly headers?: Headers | undefined } | null | undefined;

export function optionsOf(parts: BuiltinParts) {
  const { db, basePath, publicUrl, hasOwnWays } = parts;
  const mails = createMails(parts);
  return {
    baseURL: publicUrl,
    basePath: '/auth',
    secrets: parts.secrets.map((secret) => ({ ...secret })),
    trustedOrigins: trustedOrigins(publicUrl),
    database: { db, type: parts.database },
    logger: { disabled: true },
    onAPIError: { onError: reportFaults(parts.report) },
    telemetry: { enabled: false },
    // `door.ts` counts attempts instead, because the library doesn't count them by account.
    rateLimit: { enabled: false },
    emailAndPassword: passwordOptions(parts, mails),
    // A leaked database must not reveal the links that were mailed.
    verification: { storeIdentifier: 'hashed' as const },
    emailVerification: {
      sendOnSignUp: true,
      expiresIn: DAY_SECONDS,
      sendVerificationEmail: mails.sendVerification,
    },
    // An address alone must not give access to somebody else's account.
    account: { accountLinking: { enabled: false } },
    user: { additionalFields: userFields(parts) },
    session: sessionOptions(),
    databaseHooks: { session: sessionHooks(parts), user: userHooks(parts), account: accountHooks },
    advanced: {
      // Set explicitly, because the library skips both checks when the environment looks like a
      // test.
      disableOriginCheck: false,
      disableCSRFCheck: false,
      ...cookieOptions(publicUrl, basePath),
      ipAddress: { ipAddressHeaders: [IP_HEADER] },
    },
    plugins: [
      identityTokens(publicUrl, parts.secondFactor === 'required' && hasOwnWays),
      ...(hasOwnWays ? ownWaysIn(parts, mails) : []),
    ] as BetterAuthPlugin[],
  };
}

const passwordOptions = (
  { db, hasOwnWays, signUp, now, password = scryptPasswords }: BuiltinParts,
  { sendReset }: Pick<Mails, 'sendReset'>,
) => ({
  enabled: hasOwnWays,
  password,
  minPasswordLength: 8,
  maxPasswordLength: 256,
  disableSignUp: signUp === 'closed',
  onPasswordReset: ({ user }: { user: { id: string } }) => endForNewPassword(db, user.id, now()),
  resetPasswordTokenExpiresIn: HOUR_SECONDS,
  sendResetPassword: sendReset,
});

interface ToVerify {
  readonly email: string;
  /** The link of an invite may have verified the address. */
  readonly emailVerified: boolean;
}

type Mails = ReturnType<typeof createMails>;

/**
 * Creates the functions that mail links. They add the path of a proxy to the links, because the
 * library doesn't know this path.
 */
function createMails({ db, publicUrl, basePath, mailer, report }: BuiltinParts) {
  // A failed mail doesn't fail the request, because the user can request another mail.
  const send = (mail: Mail, request: Requested) => {
    const address = request?.headers?.get(IP_HEADER);
    const network = address == null ? undefined : networksOf(address).own;
    return mailer.send(mail, network).catch(report);
  };
  const below = (url: string) => url.replace(publicUrl, `${publicUrl}${basePath}`);
  return {
    sendReset: async ({ user, token }: { user: { email: string }; token: string }, request: Requested) => {
      const url = `${publicUrl}${basePath}/login?reset=${encodeURIComponent(token)}`;
      return send(resetLetter(user.email, url), request);
    },
    sendVerification: async ({ user, url }: { user: ToVerify; url: string }, request: Requested) => {
      if (!user.emailVerified) await send(verifyLetter(user.email, below(url)), request);
    },
    sendSignIn: async ({ email, url }: { email: string; url: string }, request: Requested) => {
      const letter = (await asksForCode(db, email))
        ? passwordLetter(email, below(`${publicUrl}/login`))
        : signInLetter(email, below(url));
      await send(letter, request);
    },
  };
}

/** Returns the plugins for the ways to sign in without a password. */
function ownWaysIn({ publicUrl, signUp }: BuiltinParts, { sendSignIn }: Pick<Mails, 'sendSignIn'>) {
  return [
    magicLink({
      expiresIn: MAGIC_LINK_SECONDS,
      storeToken: 'hashed',
      disableSignUp: signUp === 'closed',
      sendMagicLink: sendSignIn,
    }),
    passkeys(publicUrl, trustedOrigins(publicUrl)),
    twoFactor({ issuer: 'Fixpoint', backupCodeOptions: { storeBackupCodes: 'encrypted' } }),
  ];
}

/**
 * Configures `GET /auth/token`. It returns a token with the id and the address of the signed-in
 * user, and whether the address is verified. The token is valid for five minutes.
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

/** Reports errors that are faults of the server, and not rejections of a request. */
function reportFaults(report: (error: unknown) => void) {
  return (error: unknown) => {
    const { statusCode } = error as { statusCode?: unknown };
    if (typeof statusCode !== 'number' || statusCode >= 500) report(error);
  };
}

/**
 * Returns the origins of this server. On this machine it answers to both `localhost` and
 * `127.0.0.1`.
 */
export function trustedOrigins(publicUrl: string): string[] {
  const { protocol, hostname, port } = new URL(publicUrl);
  const names = ['localhost', '127.0.0.1'];
  if (!names.includes(hostname)) return [publicUrl];
  return names.map((name) => `${protocol}//${name}${port && `:${port}`}`);
}
