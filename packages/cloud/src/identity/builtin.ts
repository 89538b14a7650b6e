/**
 * Signs users in with password, mailed link and passkey, in this process and this database
 * (better-auth). The library has its own tables of accounts; the users of the product are in
 * `Users`.
 */

import { FixpointError } from '@fixpoint/protocol';
import { betterAuth } from 'better-auth';
import { isAPIError } from 'better-auth/api';
import { decodeJwt } from 'jose';
import { sql } from 'kysely';
import type { Db } from '../tables/connection.ts';
import { AUDIENCE, optionsOf, trustedOrigins } from './builtin-options.ts';
import type { BuiltinParts } from './builtin-parts.ts';
import { createConfirm, type OwnSession } from './confirm.ts';
import { createDoor } from './door.ts';
import { accessToEnd, endAccess } from './end-access.ts';
import type { Identity } from './identity.ts';
import { migrateIdentity } from './identity-tables.ts';
import { demandVerification, SIGN_IN_OPTIONS_ROUTE } from './passkeys.ts';
import { requireNoOwnWords } from './passwords/own-words.ts';
import { checkProvider, OIDC_PROVIDER, type OidcClient, oidcPlugin } from './providers/oidc.ts';
import { createVerifier } from './providers/verifier.ts';
import {
  confirmedTime,
  hasAnyFactor,
  hasPassword,
  hasVerifiedAddress,
  isKnownNetwork,
  TYPE,
} from './session-rules.ts';
import { handleSessions, type SessionApi } from './sessions.ts';

/** The part of the library that is used here. */
interface Library {
  readonly handler: (request: Request) => Promise<Response>;
  readonly api: SessionApi & {
    getSession(call: { headers: Headers; query: { disableRefresh: true } }): Promise<{
      session: OwnSession;
    } | null>;
    verifyPassword(call: { headers: Headers; body: { password: string } }): Promise<unknown>;
    signJWT(call: { body: { payload: { sub: string } } }): Promise<unknown>;
  };
  readonly $context: Promise<{
    readonly internalAdapter: {
      deleteSession(token: string): Promise<unknown>;
      findVerificationValue(identifier: string): Promise<{ readonly value: string } | null>;
      updateSession(token: string, change: Record<string, unknown>): Promise<unknown>;
    };
  }>;
}

export async function builtinIdentity(parts: BuiltinParts): Promise<Identity> {
  const { db, publicUrl, now } = parts;
  const options = optionsOf(parts);
  await migrateIdentity(parts, options);
  const auth = betterAuth(options) as unknown as Library;
  await dropLostKeys(db, () => auth.api.signJWT({ body: { payload: { sub: 'probe' } } }));
  const answer = await createAnswer(auth, parts, createPass(auth, parts, options));
  const handle = createDoor(answer, {
    note: parts.note,
    now,
    isKnownNetwork: (email, ip) => isKnownNetwork(db, email, ip),
  });
  const readKeys = async () => (await auth.handler(new Request(`${publicUrl}/auth/jwks`))).json();
  const check = { type: TYPE, issuer: publicUrl, audience: AUDIENCE, algorithm: 'EdDSA' };
  const readPerson = createVerifier(check, readKeys, now);
  const verify = async (token: string) => {
    const person = await readPerson(token);
    const confirmedAt = await confirmedTime(db, decodeJwt(token)['sid']);
    if (confirmedAt === undefined) throw new FixpointError('NOT_SIGNED_IN');
    return { ...person, confirmedAt };
  };
  return { type: TYPE, handle, verify };
}

type Handle = (request: Request) => Promise<Response>;

/**
 * Returns the function that passes a request to the library. For routes of the OpenID Connect
 * provider, it uses a second instance of the library that has this provider.
 */
function createPass(
  auth: Library,
  { oidc, signUp }: BuiltinParts,
  options: ReturnType<typeof optionsOf>,
): Handle {
  let federated: Promise<Pick<Library, 'handler'>> | undefined;
  /**
   * Returns the library for a route. If the provider didn't answer, the next request tries again.
   */
  const libraryFor = async (pathname: string): Promise<Pick<Library, 'handler'>> => {
    if (!FEDERATED.includes(pathname)) return auth;
    if (oidc === undefined) throw new FixpointError('NOT_FOUND');
    federated ??= withProvider(oidc, options, signUp === 'closed').catch((cause) => {
      federated = undefined;
      throw cause;
    });
    return federated;
  };
  return async (request) => {
    const { pathname } = new URL(request.url);
    const response = await (await libraryFor(pathname)).handler(request);
    return pathname === SIGN_IN_OPTIONS_ROUTE ? demandVerification(response) : response;
  };
}

/** Returns the function that handles admitted requests by our rules, then by the library. */
async function createAnswer(auth: Library, parts: BuiltinParts, pass: Handle): Promise<Handle> {
  const { db, publicUrl, basePath, now } = parts;
  const { internalAdapter } = await auth.$context;
  const confirm = await confirmBy(auth, parts);
  const trusted = trustedOrigins(publicUrl);
  const findReset = async (token: string) =>
    (await internalAdapter.findVerificationValue(`reset-password:${token}`))?.value;
  return async (request) => {
    const origin = request.headers.get('origin');
    if (request.method === 'POST' && origin !== null && !trusted.includes(origin))
      throw new FixpointError('FORBIDDEN');
    const own = await confirm.own(request);
    if (parts.hasOwnWays) {
      await confirm.requireFor(new URL(request.url).pathname, own);
      await requireNoOwnWords({ db, findReset }, request, own?.userId);
    }
    const access = await accessToEnd(request);
    const answered =
      (await confirm.handle(request, own)) ??
      (await handleSessions(auth.api, request, own, now())) ??
      (await pass(request));
    if (access !== 'keep' && own !== undefined && answered.ok)
      await endAccess(db, own.userId, access ?? parts.signOutEnds, now());
    // A browser has one session, so a new sign-in deletes the old session. Otherwise that session
    // would stay valid although no browser uses it.
    if (own !== undefined && beginsSession(answered, own.token))
      await internalAdapter.deleteSession(own.token);
    return leadingBelow(answered, publicUrl, basePath);
  };
}

/** Returns whether an answer replaces the browser's session. */
const beginsSession = ({ headers }: Response, token: string): boolean =>
  headers.getSetCookie().some((line) => {
    const [, value = ''] = /^[^=]*session_token=([^;]+)/.exec(line) ?? [];
    return value !== '' && decodeURIComponent(value).split('.')[0] !== token;
  });

const FEDERATED = ['/auth/sign-in/social', `/auth/callback/${OIDC_PROVIDER}`];

async function confirmBy({ api, $context }: Library, { db, sessionDaysMax, now }: BuiltinParts) {
  const { internalAdapter } = await $context;
  return createConfirm({
    readSession: async (headers) =>
      (await api.getSession({ headers, query: { disableRefresh: true } }))?.session,
    endSession: (token) => internalAdapter.deleteSession(token),
    markConfirmed: (token, at) => internalAdapter.updateSession(token, { confirmedAt: at }),
    isPassword: (headers, password) =>
      api.verifyPassword({ headers, body: { password } }).then(
        () => true,
        (cause) => (isAPIError(cause) ? false : Promise.reject(cause)),
      ),
    hasPassword: (userId) => hasPassword(db, userId),
    hasAnyFactor: (userId) => hasAnyFactor(db, userId),
    hasVerifiedAddress: (userId) => hasVerifiedAddress(db, userId),
    sessionDaysMax,
    now,
  });
}

/** Adds the path of a proxy, which the library doesn't know, to redirects within this server. */
function leadingBelow(response: Response, publicUrl: string, basePath: string): Response {
  const location = response.headers.get('location');
  if (basePath === '' || location === null) return response;
  const { origin, pathname, search, hash } = new URL(location, publicUrl);
  const isBelow = pathname === basePath || pathname.startsWith(`${basePath}/`);
  if (origin === new URL(publicUrl).origin && !isBelow)
    response.headers.set('location', `${publicUrl}${basePath}${pathname}${search}${hash}`);
  return response;
}

/** Returns the library with the same sessions and users, and with the provider added. */
async function withProvider(
  oidc: OidcClient,
  options: ReturnType<typeof optionsOf>,
  isClosed: boolean,
): Promise<Pick<Library, 'handler'>> {
  const metadata = await checkProvider(oidc);
  return betterAuth({ ...options, plugins: [...options.plugins, oidcPlugin(oidc, metadata, isClosed)] });
}

/**
 * Deletes keys of identity tokens that were encrypted with a lost secret, because otherwise nobody
 * could sign in. New keys replace them, and only tokens of the last five minutes become invalid.
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
