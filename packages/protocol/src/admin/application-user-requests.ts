/** Requests about users whom applications bring along (decision 0186). */
import * as v from 'valibot';
import { APPLICATION_LIMITS } from './application-fields.ts';
import { defineRequest } from './define-request.ts';
import { oneOf, wholeNumber } from './field-schemas.ts';
import * as shapes from './shapes.ts';

const ONE_LINE = v.regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must be one line of text');

/** The id of a user in the application's own user table, such as the claim `sub`. */
const subject = v.pipe(v.string(), v.minLength(1), v.maxLength(255), ONE_LINE);
/** The right in each database; a database that isn't listed can't be opened. */
const rights = v.pipe(
  v.record(shapes.id, shapes.right),
  v.check(
    (given) => Object.keys(given).length <= APPLICATION_LIMITS.rightsPerUserMax,
    'must list at most 100 databases',
  ),
);
const profile = v.pipe(v.string(), v.maxLength(200), ONE_LINE);

const applicationUser = v.looseObject({
  userId: v.string(),
  subject: v.string(),
  name: v.optional(v.string()),
  email: v.optional(v.string()),
});
/** A user whom an application brings along. */
export type ApplicationUser = v.InferOutput<typeof applicationUser>;

const listedUser = v.looseObject({
  ...applicationUser.entries,
  applicationId: v.string(),
  /** `active`; `removed`, until somebody readmits the user; `banned` by the operator. */
  status: v.string(),
  /** Number of databases that the user may open. */
  rights: v.number(),
  /** Missing for a user who never signed in. Accurate to a minute. */
  lastSignInAt: v.optional(v.string()),
  createdAt: v.string(),
});
/** A user whom an application brings along, as admins of the tenant see them. */
export type ListedApplicationUser = v.InferOutput<typeof listedUser>;

export const applicationUserRequests = {
  /** Newest first. */
  reqListApplicationUsers: defineRequest({
    summary: 'List the users of applications',
    description:
      'Lists the users whom the applications of a tenant brought along, newest first, also removed ones. `search` finds a part of the subject, the name or the email, or a whole user id. For admins of the tenant, and for their programs.',
    requires: 'applications:manage',
    token: 'admin',
    forUsers: true,
    audited: false,
    payload: {
      tenantId: shapes.id,
      applicationId: v.optional(shapes.id),
      search: v.optional(v.pipe(v.string(), v.maxLength(320), ONE_LINE)),
      status: v.optional(oneOf(['active', 'removed', 'banned'])),
      /** Default: 50. */
      limit: v.optional(wholeNumber(1, shapes.PAGE_MAX)),
      after: shapes.page.after,
    },
    answer: { users: v.array(listedUser), next: shapes.next },
  }),
  /**
   * Adds a user of the application, or changes them. Without `rights`, the rights stay as they are.
   */
  reqPutApplicationUser: defineRequest({
    summary: 'Add or change a user of an application',
    description:
      'Adds a user whom the application knows by `subject`, or changes their name, email and rights. The rights replace all earlier ones. For admins of the tenant, and for their programs.',
    requires: 'applications:manage',
    token: 'admin',
    forUsers: true,
    audited: 'added or changed a user of an application',
    payload: {
      tenantId: shapes.id,
      applicationId: shapes.id,
      subject,
      name: v.optional(profile),
      email: v.optional(profile),
      rights: v.optional(rights),
    },
    answer: { user: applicationUser },
    take: (answer) => answer.user,
  }),
  /** Within five seconds, the user has no access any more. */
  reqRemoveApplicationUser: defineRequest({
    summary: 'Remove a user of an application',
    description:
      'Ends the sessions and the rights of a user whom an application brought along. Only `reqPutApplicationUser` brings them back. For admins of the tenant, and for their programs.',
    requires: 'applications:manage',
    token: 'admin',
    forUsers: true,
    audited: 'removed a user of an application',
    payload: { tenantId: shapes.id, applicationId: shapes.id, userId: shapes.id },
    answer: { userId: v.string() },
    take: ({ userId }) => userId,
  }),
  /**
   * For users of the application only: nobody can get a token of a person who signs in by
   * themselves. The token can be extended for one hour.
   */
  reqCreateUserToken: defineRequest({
    summary: 'Get a cloud token for a user of an application',
    description:
      'Returns a cloud token with which a user of the application opens one database for ten minutes. Only for programs with an API token; revoking the API token also ends the cloud token. NOT_FOUND if the user may not read the database.',
    requires: 'applications:manage',
    token: 'admin',
    forUsers: true,
    audited: false,
    payload: {
      tenantId: shapes.id,
      applicationId: shapes.id,
      userId: shapes.id,
      ledgerId: shapes.id,
    },
    answer: { token: v.string(), expiresInSec: v.number() },
  }),
} as const;

/**
 * Parses the claim `fixpoint_rights` of an issuer's token: the right in each database. Returns
 * undefined if the claim doesn't have this shape.
 */
export function rightsIn(claim: unknown): Readonly<Record<string, 'read' | 'write'>> | undefined {
  const parsed = v.safeParse(rights, claim);
  return parsed.success ? parsed.output : undefined;
}

/** Returns whether a text may be the id of a user of an application. */
export const isSubject = (text: unknown): text is string => v.is(subject, text);
