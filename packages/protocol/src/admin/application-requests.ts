/**
 * Requests about applications that sign in their own users (decision 0173). All of these requests
 * are Fixpoint extensions.
 */
import * as v from 'valibot';
import { urlOf } from '../url.ts';
import { defineRequest } from './define-request.ts';
import { oneOf } from './field-schemas.ts';
import * as shapes from './shapes.ts';

/** Separate from `LIMITS`, which every client loads. */
export const APPLICATION_LIMITS = {
  /** Default of the operator's setting. */
  perTenantMax: 10,
  /** Sessions of one user with one application. A new session ends the oldest. */
  sessionsPerUserMax: 20,
} as const;

const URL_CHARS_MAX = 2048;
const ADDRESSES_MAX = 20;

const isLoopback = ({ hostname }: URL): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(hostname);

/** Returns the URL if it is exactly this text, and its scheme is https, or http on this machine. */
function safeUrl(text: string, partOf: (url: URL) => string): URL | undefined {
  const url = urlOf(text);
  if (url === undefined || partOf(url) !== text) return undefined;
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
  return isSafe && url.username === '' && url.password === '' ? url : undefined;
}

const isOrigin = (text: string): boolean => safeUrl(text, ({ origin }) => origin) !== undefined;

/** The fragment of a redirect URL belongs to Fixpoint. */
const isRedirectUrl = (text: string): boolean =>
  safeUrl(text, ({ href }) => href) !== undefined && !text.includes('#');

const address = v.pipe(v.string(), v.maxLength(URL_CHARS_MAX));
const origin = v.pipe(
  address,
  v.check(isOrigin, 'must be an origin such as https://app.example, or http://localhost with a port'),
);
const redirectUrl = v.pipe(
  address,
  v.check(
    isRedirectUrl,
    'must be a whole https address such as https://app.example/signed-in, or one of http://localhost',
  ),
);
const listOf = <S extends v.GenericSchema<string, string>>(item: S) =>
  v.pipe(v.array(item), v.minLength(1), v.maxLength(ADDRESSES_MAX));

/** 32 bytes or more as base64url, without padding. */
const secret = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9_-]{43,128}$/, 'must be 43 to 128 letters, digits, - or _'),
);
const token = v.pipe(v.string(), v.minLength(1), v.maxLength(32_768));
/**
 * A secret that all refresh tokens of a session share, a dot, and a secret of this token. The first
 * part lets the server recognise replaced tokens.
 */
const refreshToken = v.pipe(
  v.string(),
  v.regex(
    /^[A-Za-z0-9_-]{22,64}\.[A-Za-z0-9_-]{43,128}$/,
    'must be a secret of the session, a dot, and a secret of the token',
  ),
);

const application = v.looseObject({
  applicationId: v.string(),
  tenantId: v.string(),
  name: v.string(),
  origins: v.array(v.string()),
  redirectUrls: v.array(v.string()),
  createdAt: v.string(),
  updatedAt: v.string(),
});
export type Application = v.InferOutput<typeof application>;

const grant = v.looseObject({
  applicationId: v.string(),
  name: v.string(),
  /** The origins at which the user allowed it. */
  origins: v.array(v.string()),
  createdAt: v.string(),
});
/** An application that a user allowed to sign them in. */
export type ApplicationGrant = v.InferOutput<typeof grant>;

const settings = { name: shapes.name, origins: listOf(origin), redirectUrls: listOf(redirectUrl) };

export const applicationRequests = {
  /**
   * Redirect URLs must belong to one of the origins. LIMIT_REACHED above the number of applications
   * that the operator allows in a tenant.
   */
  reqCreateApplication: defineRequest({
    summary: 'Register an application',
    description:
      'Registers an application that signs in its own users: its name, its exact origins and its exact redirect URLs. For admins of the tenant. Needs a sign-in or confirmation in the last 15 minutes (CONFIRM_IDENTITY).',
    requires: 'applications:manage',
    // A leaked token must not add an origin that can sign people in.
    token: 'never',
    audited: 'registered an application',
    payload: { tenantId: shapes.id, ...settings },
    answer: { application },
    take: (answer) => answer.application,
  }),
  reqListApplications: defineRequest({
    summary: 'List applications',
    description: 'Lists the registered applications of a tenant, for its admins.',
    requires: 'applications:manage',
    token: 'admin',
    audited: false,
    payload: { tenantId: shapes.id, ...shapes.page },
    answer: { applications: v.array(application), next: shapes.next },
    ask: (tenantId: string) => ({ tenantId }),
    take: ({ applications }) => applications,
  }),
  /**
   * For each origin that isn't in the new list, ends the sessions that began there, and withdraws
   * the permissions of users.
   */
  reqUpdateApplication: defineRequest({
    summary: 'Change an application',
    description:
      'Replaces the name, the origins and the redirect URLs of an application. For admins of the tenant. Needs a sign-in or confirmation in the last 15 minutes (CONFIRM_IDENTITY).',
    requires: 'applications:manage',
    token: 'never',
    audited: 'changed an application',
    payload: { tenantId: shapes.id, applicationId: shapes.id, ...settings },
    answer: { application },
    take: (answer) => answer.application,
  }),
  /** Within five seconds, nobody is signed in to the application any more. */
  reqDeleteApplication: defineRequest({
    summary: 'Delete an application',
    description: 'Deletes an application and ends all of its sessions. For admins of the tenant.',
    requires: 'applications:manage',
    token: 'admin',
    audited: 'deleted an application',
    payload: { tenantId: shapes.id, applicationId: shapes.id },
    answer: { applicationId: v.string() },
    take: ({ applicationId }) => applicationId,
  }),
  /**
   * NOT_FOUND for an unknown application, and for a redirect URL that isn't exactly one of its own.
   */
  reqDescribeApplication: defineRequest({
    summary: 'Describe an application to its user',
    description:
      'Returns the name of an application, the origin of the redirect URL, and whether the caller allowed the application to sign them in at this origin.',
    requires: 'user:active',
    token: 'never',
    audited: false,
    payload: { applicationId: shapes.id, redirectUrl: address },
    answer: { name: v.string(), tenant: v.string(), origin: v.string(), isGranted: v.boolean() },
  }),
  /**
   * The code works once, for 60 seconds, with this redirect URL, and with the verifier of the
   * challenge (PKCE, S256). FORBIDDEN if the caller hasn't agreed, now or earlier.
   */
  reqAuthorizeApplication: defineRequest({
    summary: 'Sign in to an application',
    description:
      'Creates a code with which the application gets a session of the caller. `agrees` says that the caller allows the application to sign them in at the origin of the redirect URL, which the server remembers.',
    requires: 'user:active',
    token: 'never',
    audited: false,
    payload: {
      applicationId: shapes.id,
      redirectUrl: address,
      challenge: v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{43}$/, 'must be a SHA-256 as base64url')),
      agrees: v.optional(v.boolean()),
    },
    answer: { code: v.string() },
    take: ({ code }) => code,
  }),
  reqListApplicationGrants: defineRequest({
    summary: 'List applications that the caller signs in to',
    description: 'Lists the applications that the caller allowed to sign them in.',
    requires: 'user:active',
    handlerChecks: 'self',
    token: 'never',
    audited: false,
    payload: {},
    answer: { grants: v.array(grant) },
    ask: () => ({}),
    take: ({ grants }) => grants,
  }),
  /** The application asks again next time. */
  reqRevokeApplicationGrant: defineRequest({
    summary: 'Sign out of an application everywhere',
    description: 'Ends all sessions of the caller with an application, and withdraws the permission.',
    requires: 'user:active',
    handlerChecks: 'self',
    token: 'never',
    audited: false,
    payload: { applicationId: shapes.id },
    answer: { applicationId: v.string() },
    ask: (applicationId: string) => ({ applicationId }),
    take: ({ applicationId }) => applicationId,
  }),
} as const;

const user = v.looseObject({ userId: v.string(), email: v.string(), name: v.string() });
const sessionAnswer = {
  /** `ended`: the code or token isn't valid, or the session has ended. Sign in again. */
  status: oneOf(['open', 'ended']),
  accessToken: v.optional(v.string()),
  /** Seconds for which the access token is valid. */
  expiresInSec: v.optional(v.number()),
  user: v.optional(user),
};

/**
 * Requests that pages of a registered application send to `/api/app`. They need no `auth`: the
 * payload contains the secret. The server accepts them only with an `Origin` of the application.
 */
export const applicationSessionRequests = {
  /**
   * The application generates `refreshToken`, with which it refreshes the session. A second request
   * with the same code ends the session of the first.
   */
  reqBeginApplicationSession: defineRequest({
    summary: 'Exchange a code for a session',
    description:
      'Exchanges the code of a redirect for a session of an application. Answers `ended` for a code that isn’t valid, was used, or belongs to another application, redirect URL or verifier.',
    requires: 'nobody',
    token: 'never',
    audited: false,
    payload: {
      applicationId: shapes.id,
      code: secret,
      redirectUrl: address,
      verifier: secret,
      refreshToken,
    },
    answer: sessionAnswer,
  }),
  /**
   * `next` replaces `refreshToken`. If the answer was lost, the application repeats the request
   * with the same two secrets. An old refresh token with any other `next` ends the session.
   */
  reqRefreshApplicationSession: defineRequest({
    summary: 'Refresh a session',
    description:
      'Returns a new access token, and replaces the refresh token of the session by `next`. Reusing a replaced token ends the session.',
    requires: 'nobody',
    token: 'never',
    audited: false,
    payload: { applicationId: shapes.id, refreshToken, next: refreshToken },
    answer: sessionAnswer,
  }),
  reqListApplicationDatabases: defineRequest({
    summary: 'List databases of a session',
    description: 'Lists the databases of the application’s tenant that the user may read.',
    requires: 'nobody',
    token: 'never',
    audited: false,
    payload: { applicationId: shapes.id, accessToken: token },
    answer: {
      databases: v.array(
        v.looseObject({
          tenantId: v.string(),
          ledgerId: v.string(),
          name: v.string(),
          right: shapes.right,
          kind: v.optional(shapes.ledgerKind),
        }),
      ),
    },
    take: ({ databases }) => databases,
  }),
  /** NOT_FOUND for a database of another tenant, or one that the user may not read. */
  reqApplicationCloudToken: defineRequest({
    summary: 'Get a cloud token of a session',
    description: 'Returns a cloud token for one database, which is valid for ten minutes.',
    requires: 'nobody',
    token: 'never',
    audited: false,
    payload: { applicationId: shapes.id, accessToken: token, ledgerId: shapes.id },
    answer: { token: v.string() },
    take: (answer) => answer.token,
  }),
  reqEndApplicationSession: defineRequest({
    summary: 'End a session',
    description: 'Ends the session of a refresh token. Also succeeds if the session has already ended.',
    requires: 'nobody',
    token: 'never',
    audited: false,
    payload: { applicationId: shapes.id, refreshToken },
    answer: { status: oneOf(['ended']) },
  }),
} as const;

/** Returns whether pages of registered applications may send this request. */
export const isApplicationSessionRequest = (type: unknown): boolean =>
  typeof type === 'string' && Object.hasOwn(applicationSessionRequests, type);
