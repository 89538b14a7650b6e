/**
 * Requests about applications that sign in their own users (decision 0173). All of these requests
 * are Fixpoint extensions.
 */
import * as v from 'valibot';
import { address, issuer, listOf, origin, redirectUrl } from './application-fields.ts';
import { defineRequest } from './define-request.ts';
import * as shapes from './shapes.ts';

const application = v.looseObject({
  applicationId: v.string(),
  tenantId: v.string(),
  name: v.string(),
  origins: v.array(v.string()),
  redirectUrls: v.array(v.string()),
  /** Missing if the application has no users of its own. */
  issuer: v.optional(v.looseObject({ issuer: v.string(), jwksUrl: v.string(), audience: v.string() })),
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

const settings = {
  name: shapes.name,
  origins: listOf(origin),
  redirectUrls: listOf(redirectUrl),
  issuer: v.optional(v.nullable(issuer)),
};

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
      'Replaces the name, the origins and the redirect URLs of an application. Also replaces the issuer of its own users, if the request has one; null removes it. For admins of the tenant. Needs a sign-in or confirmation in the last 15 minutes (CONFIRM_IDENTITY).',
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
