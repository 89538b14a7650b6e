/** Sign-in with email and password, in this process and this database (better-auth). Its tables are its own; users of the product are in `Users`. */
import { FixpointError } from '@fixpoint/protocol';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { jwt } from 'better-auth/plugins';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import type { Mailer } from '../mail/outbox.ts';
import type { Db } from '../tables/database.ts';
import type { Identity, Person } from './identity.ts';

const AUDIENCE = 'fp-cloud';
const DAY_SECONDS = 86_400;
const IP_HEADER = 'x-fp-client-ip';

export interface BuiltinParts {
  readonly db: Db;
  readonly publicUrl: string;
  readonly secret: string;
  readonly mailer: Mailer;
  readonly signUp: 'open' | 'closed';
}

export async function builtinIdentity({
  db,
  publicUrl,
  secret,
  mailer,
  signUp,
}: BuiltinParts): Promise<Identity> {
  const options = {
    baseURL: publicUrl,
    basePath: '/auth',
    secret,
    trustedOrigins: [publicUrl],
    database: { db, type: 'sqlite' as const },
    logger: { disabled: true },
    telemetry: { enabled: false },
    emailAndPassword: {
      enabled: true,
      minPasswordLength: 8,
      maxPasswordLength: 256,
      disableSignUp: signUp === 'closed',
    },
    emailVerification: {
      sendOnSignUp: true,
      sendVerificationEmail: async ({ user, url }: { user: { email: string }; url: string }) =>
        mailer.send({
          to: user.email,
          subject: 'Verify your address',
          text: `Open this link to verify your address:\n\n${url}`,
        }),
    },
    user: {
      additionalFields: {
        emailOptIn: { type: 'boolean' as const, required: false, input: true },
        adClickId: { type: 'string' as const, required: false, input: true },
      },
    },
    rateLimit: {
      enabled: true,
      window: 60,
      max: 300,
      customRules: { '/sign-in/email': { window: 60, max: 20 } },
    },
    advanced: { ipAddress: { ipAddressHeaders: [IP_HEADER] } },
    plugins: [
      jwt({
        jwks: {
          keyPairConfig: { alg: 'EdDSA' as const },
          rotationInterval: 30 * DAY_SECONDS,
          gracePeriod: 7 * DAY_SECONDS,
        },
        jwt: {
          issuer: publicUrl,
          audience: AUDIENCE,
          expirationTime: '5m',
          definePayload: ({ user }) => ({
            email: user.email,
            email_verified: user.emailVerified,
            name: user.name,
          }),
        },
      }),
    ],
  };
  await (await getMigrations(options)).runMigrations();
  const auth = betterAuth(options);

  async function keys() {
    const response = await auth.handler(new Request(`${publicUrl}/auth/jwks`));
    return createLocalJWKSet((await response.json()) as JSONWebKeySet);
  }
  let known: Awaited<ReturnType<typeof keys>> | undefined;

  async function verified(token: string) {
    const check = { issuer: publicUrl, audience: AUDIENCE, algorithms: ['EdDSA'], clockTolerance: 5 };
    known ??= await keys();
    try {
      return await jwtVerify(token, known, check);
    } catch (cause) {
      if ((cause as { code?: string }).code !== 'ERR_JWKS_NO_MATCHING_KEY') throw cause;
      known = await keys();
      return jwtVerify(token, known, check);
    }
  }

  return {
    type: 'fixpoint',
    handle: async (request, clientIp) => {
      const headers = new Headers(request.headers);
      headers.delete('x-forwarded-for');
      headers.set(IP_HEADER, clientIp);
      return auth.handler(new Request(request, { headers }));
    },
    verify: async (token): Promise<Person> => {
      try {
        const { payload } = await verified(token);
        const { sub, email, email_verified: emailVerified, name } = payload as Record<string, unknown>;
        if (typeof sub !== 'string' || typeof email !== 'string') throw new Error('claims');
        return {
          providerUserId: sub,
          email,
          emailVerified: emailVerified === true,
          name: typeof name === 'string' ? name : email,
        };
      } catch (cause) {
        throw new FixpointError('NOT_SIGNED_IN', undefined, { cause });
      }
    },
  };
}
