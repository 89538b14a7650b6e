/** Requests for cloud tokens, which open the storage gateway. */
import * as v from 'valibot';
import { defineRequest } from './define-request.ts';
import { fields, oneOf, wholeNumber } from './field-schemas.ts';
import { CLOUD_TOKEN_SECONDS_MAX } from './hand-off-code.ts';
import * as shapes from './shapes.ts';

/**
 * Random text that an application generates and keeps secret until it fetches its token: at least
 * 22 characters (128 bits). Existing clients generate `z` and 7 to 9 characters of base58 (48
 * bits); other short ids are rejected.
 */
export const resultId = v.pipe(
  v.string(),
  v.regex(/^(?:\S{22,128}|z[1-9A-HJ-NP-Za-km-z]{7,9})$/, 'resultId needs at least 22 characters'),
);

/** Name of an application, or of one of its environments, such as `prod`. */
const label = v.pipe(
  v.string(),
  v.trim(),
  v.regex(/^[A-Za-z0-9._@:-]{1,100}$/, 'letters, digits and . _ @ : -'),
);

const opens = oneOf(['ledger', 'tenant', 'all']);
const sessionToken = {
  selected: v.optional(fields({ tenant: v.optional(shapes.id), ledger: v.optional(shapes.id) })),
  opens: v.optional(opens),
  handOff: v.optional(v.boolean()),
  resultId: v.optional(resultId),
  lifeSeconds: v.optional(wholeNumber(60, CLOUD_TOKEN_SECONDS_MAX)),
};

export const cloudTokenRequests = {
  /**
   * `selected` must belong to the caller (otherwise NOT_FOUND). A selected ledger narrows the token
   * to that ledger, and a selected tenant narrows it to the ledgers of that tenant. `opens` states
   * the scope explicitly; `all` is the only way to select a ledger and still open everything.
   *
   * `handOff` and `resultId` are for tokens that another application receives. Such a token always
   * opens one ledger, and can't be extended beyond an hour after the user agreed. Anyone who knows
   * the `resultId` can fetch the token, but only once. A token with a `resultId` is valid for the
   * whole hour, because existing clients can't extend tokens.
   */
  reqCloudSessionToken: defineRequest({
    summary: 'Get a cloud token',
    description:
      'Returns a token for the storage gateway that opens the selected tenant or database. A token for another application (`handOff`, `resultId`) opens one database for an hour at most.',
    requires: 'user:active',
    handlerChecks: 'member',
    token: 'read',
    audited: false,
    payload: sessionToken,
    answer: {
      token: v.string(),
      /** The scope of the token. Older servers omit this field. */
      opens: v.optional(opens),
      expiresDate: v.optional(v.string()),
      /**
       * The time after which the token can't be extended. Missing when this time depends only on
       * the API token that requested the cloud token.
       */
      extendableUntil: v.optional(v.string()),
    },
    ask: (choice: v.InferInput<v.ObjectSchema<typeof sessionToken, undefined>> = {}) => choice,
    take: ({ token }) => token,
  }),
  /**
   * The token is available for 15 minutes, or for one minute under a short id, which only existing
   * clients generate. Existing clients poll in a tight loop, which isn't rate limited. RATE_LIMITED
   * for a network that tries many different ids.
   */
  reqTokenByResultId: defineRequest({
    summary: 'Fetch a token that was handed off',
    description:
      'Returns the token that was stored under an id, once. Needs no `auth`: the id is the secret.',
    requires: 'nobody',
    token: 'never',
    audited: false,
    payload: { resultId: v.pipe(v.string(), v.maxLength(128)) },
    answer: {
      resultId: v.string(),
      status: oneOf(['found', 'not-found']),
      token: v.optional(v.string()),
    },
    ask: (id: string) => ({ resultId: id }),
    take: ({ token }) => token,
  }),
  /**
   * Picks the ledger that is bound to (`appId`, `env`) and that the caller may read; otherwise
   * `ledger`; otherwise a new ledger in `tenant` or the caller's default tenant. Binds the ledger
   * if the caller is an admin of the tenant. Only admins can create a new ledger. NOT_FOUND for a
   * tenant or ledger that the caller can't use; INVITE_WAITS when the caller must first accept a
   * pending invite to the tenant or ledger; LIMIT_REACHED above ten bindings of an application in a
   * tenant.
   */
  reqEnsureCloudToken: defineRequest({
    summary: 'Get a token for an application’s database',
    description: 'Returns a token for an application’s database. Creates the database when there is none.',
    requires: 'user:active',
    handlerChecks: 'member',
    token: 'admin',
    audited: 'connected an application',
    payload: {
      appId: label,
      /** Default: `prod`. */
      env: v.optional(label),
      tenant: v.optional(shapes.id),
      ledger: v.optional(shapes.id),
    },
    answer: {
      cloudToken: v.string(),
      appId: v.string(),
      tenant: v.string(),
      ledger: v.string(),
      expiresInSec: v.number(),
      expiresDate: v.string(),
      claims: v.looseObject({ userId: v.string() }),
    },
  }),
  /**
   * The new token lasts another ten minutes. It opens the same ledgers, except those to which its
   * user has lost access. NOT_SIGNED_IN when the old token has expired, its user isn't active, or
   * the session or API token that requested it ended. Also NOT_SIGNED_IN six hours after the user
   * requested the first token, or one hour after the token was handed to an application.
   */
  reqExtendToken: defineRequest({
    summary: 'Extend a cloud token',
    description:
      'Exchanges a valid cloud token for a new one that opens at most the same databases. Needs no `auth`: the token is the secret.',
    requires: 'nobody',
    token: 'never',
    audited: false,
    payload: { token: v.pipe(v.string(), v.minLength(1), v.maxLength(32_768)) },
    answer: { token: v.string() },
    ask: (token: string) => ({ token }),
    take: ({ token }) => token,
  }),
} as const;
