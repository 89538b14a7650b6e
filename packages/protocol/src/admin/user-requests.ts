/** Requests about users, and about their memberships of tenants. */
import * as v from 'valibot';
import { defineRequest } from './define-request.ts';
import * as shapes from './shapes.ts';

export const userRequests = {
  /** Creates no tenant and accepts no invite. */
  reqEnsureUser: defineRequest({
    summary: 'Sign in',
    description:
      'Creates the caller’s user at their first sign-in, and returns the user with their tenants. Users who aren’t active get no tenants.',
    requires: 'person',
    token: 'never',
    audited: false,
    payload: {},
    answer: { user: shapes.user, tenants: v.array(shapes.userTenant) },
    ask: () => ({}),
  }),
  /** RATE_LIMITED above 30 a minute. */
  reqFindUser: defineRequest({
    summary: 'Find a user',
    description: 'Finds users by an email address or id, which must be complete.',
    requires: 'user:active',
    token: 'device',
    audited: false,
    payload: { query: shapes.query },
    answer: { results: v.array(shapes.foundUser) },
    ask: (query: shapes.Query) => ({ query }),
    take: ({ results }) => results,
  }),
  /**
   * CONFLICT for the owner and for the last admin, who stay admins; LIMIT_REACHED when the tenant
   * already has the maximum number of users with that role.
   */
  reqUpdateUserTenant: defineRequest({
    summary: 'Update a membership',
    description:
      'Updates a member’s name, role or default tenant. Members change their own name and default; admins change names and roles.',
    requires: 'tenant:read',
    token: 'admin',
    audited: 'changed a membership',
    payload: {
      tenantId: shapes.id,
      /** Default: the caller. */
      userId: v.optional(shapes.id),
      role: v.optional(shapes.role),
      /**
       * Whether screens open this tenant first. Setting this resets it for the user's other
       * tenants.
       */
      default: v.optional(v.boolean()),
      name: v.optional(shapes.name),
    },
    answer: {
      tenantId: v.string(),
      userId: v.string(),
      role: shapes.role,
      default: v.boolean(),
      name: v.optional(v.string()),
    },
  }),
  /**
   * Also ends the member's rights in all ledgers of the tenant, and their pending invites to the
   * tenant. Fixpoint extension. CONFLICT for the owner, who transfers or deletes the tenant
   * instead, and for the last admin.
   */
  reqRemoveMember: defineRequest({
    summary: 'Remove a member',
    description: 'Removes a member from a tenant. Members can leave; admins remove others.',
    requires: 'tenant:read',
    token: 'admin',
    audited: 'ended a membership',
    payload: {
      tenantId: shapes.id,
      /** Default: the caller. */
      userId: v.optional(shapes.id),
    },
    answer: { tenantId: v.string(), userId: v.string() },
    ask: (tenantId: string, userId: string) => ({ tenantId, userId }),
    take: ({ userId }) => userId,
  }),
} as const;
