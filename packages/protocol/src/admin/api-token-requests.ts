/** Requests about tokens for programs. All of these requests are Fixpoint extensions. */
import * as v from 'valibot';
import { defineRequest } from './define-request.ts';
import { wholeNumber } from './field-schemas.ts';
import * as shapes from './shapes.ts';

export const apiTokenRequests = {
  /**
   * Only this answer contains the secret `token`, which requests send as `auth: {type: 'api-token',
   * token}`. LIMIT_REACHED above 20 tokens in a tenant.
   */
  reqCreateApiToken: defineRequest({
    summary: 'Create an API token',
    description:
      'Creates a token with which a program acts as the caller in one tenant, and returns its secret once. For admins of the tenant. Needs a sign-in or confirmation in the last 15 minutes (CONFIRM_IDENTITY).',
    requires: 'tokens:manage',
    // A leaked token must not create other tokens.
    token: 'never',
    audited: 'created an API token',
    payload: {
      tenantId: shapes.id,
      name: shapes.name,
      /** Default: `read`. */
      right: v.optional(shapes.tokenRight),
      /** Default: 90. */
      days: v.optional(wholeNumber(1, 366)),
    },
    answer: { apiToken: shapes.apiToken, token: v.string() },
  }),
  reqListApiTokens: defineRequest({
    summary: 'List API tokens',
    description:
      'Lists the tokens of a tenant, for its admins; without `tenantId`, the caller’s own signed-in devices.',
    requires: 'user:active',
    handlerChecks: 'self',
    token: 'admin',
    audited: false,
    payload: { tenantId: v.optional(shapes.id), ...shapes.page },
    answer: { apiTokens: v.array(shapes.apiToken), next: shapes.next },
    ask: (tenantId?: string) => (tenantId === undefined ? {} : { tenantId }),
    take: ({ apiTokens }) => apiTokens,
  }),
  /** After the request, connections that were opened with the token close within five seconds. */
  reqRevokeApiToken: defineRequest({
    summary: 'Revoke an API token',
    description: 'Revokes a token of a tenant, for its admins, or one of the caller’s own signed-in devices.',
    requires: 'user:active',
    handlerChecks: 'self',
    token: 'admin',
    audited: 'revoked an API token',
    payload: { tokenId: shapes.id },
    answer: { tokenId: v.string() },
    ask: (tokenId: string) => ({ tokenId }),
    take: ({ tokenId }) => tokenId,
  }),
} as const;
