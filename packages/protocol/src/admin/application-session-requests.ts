/** Requests of pages of registered applications (decision 0173). */
import * as v from 'valibot';
import { address, refreshToken, secret, token } from './application-fields.ts';
import { defineRequest } from './define-request.ts';
import { oneOf } from './field-schemas.ts';
import * as shapes from './shapes.ts';

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
  /**
   * NOT_SIGNED_IN for a token that isn't valid, and REQUEST_INVALID if the application has no
   * issuer. The session ends with the token, and at the latest after a day; the application then
   * sends a new token.
   */
  reqExchangeApplicationToken: defineRequest({
    summary: 'Exchange a token of an own user for a session',
    description:
      'Exchanges a token of the application’s issuer for a session of the user whom the claim `sub` names. The claim `fixpoint_rights` replaces the user’s rights. Answers `ended` for a user who is banned.',
    requires: 'nobody',
    token: 'never',
    audited: 'got other rights with a token of the application',
    payload: { applicationId: shapes.id, token, refreshToken },
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
