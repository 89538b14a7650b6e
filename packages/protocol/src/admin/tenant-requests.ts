/** Requests about tenants. */
import * as v from 'valibot';
import { defineRequest } from './define-request.ts';
import { fields, wholeNumber } from './field-schemas.ts';
import * as shapes from './shapes.ts';

/** The usage of a tenant on one day. */
const usedDay = v.looseObject({
  day: v.string(),
  /** Bytes of objects that clients sent and fetched. */
  uploaded: v.number(),
  downloaded: v.number(),
  /** Answered messages about databases, uploads and downloads. */
  requests: v.number(),
  /** Stored bytes after the last request of the day; missing before they were first counted. */
  stored: v.optional(v.number()),
});
export type UsedDay = v.InferOutput<typeof usedDay>;

export const tenantRequests = {
  /** LIMIT_REACHED above the caller's `maxTenants` (5, spec §9). */
  reqCreateTenant: defineRequest({
    summary: 'Create a tenant',
    description: 'Creates a tenant that the caller owns and administers. A user can own five.',
    requires: 'user:active',
    token: 'device',
    audited: 'created the tenant',
    payload: { tenant: fields({ name: shapes.name }) },
    answer: { tenant: shapes.outTenant },
    ask: (name: string) => ({ tenant: { name } }),
    take: ({ tenant }) => tenant,
  }),
  /** Can't change the tenant's limits. */
  reqUpdateTenant: defineRequest({
    summary: 'Rename a tenant',
    description: 'Renames a tenant. For its admins.',
    requires: 'tenant:update',
    token: 'admin',
    audited: 'renamed the tenant',
    payload: { tenant: fields({ tenantId: shapes.id, name: shapes.name }) },
    answer: { tenant: shapes.outTenant },
    ask: (tenantId: string, name: string) => ({ tenant: { tenantId, name } }),
    take: ({ tenant }) => tenant,
  }),
  /**
   * Fixpoint extension. FORBIDDEN for admins who neither own the tenant nor signed in as an admin
   * of its organisation. CONFLICT unless the new owner is an active admin of the tenant.
   * LIMIT_REACHED when the new owner already owns the maximum number of tenants.
   */
  reqTransferTenant: defineRequest({
    summary: 'Transfer a tenant',
    description:
      'Makes another admin the owner of a tenant. For its owner, and for admins of the organisation that the tenant belongs to. Needs a sign-in or confirmation in the last 15 minutes (CONFIRM_IDENTITY).',
    requires: 'tenant:transfer',
    // A leaked token must not give a tenant away.
    token: 'never',
    audited: 'transferred the tenant',
    payload: {
      tenantId: shapes.id,
      /** The new owner. */
      userId: shapes.id,
    },
    answer: { tenant: shapes.outTenant },
    ask: (tenantId: string, userId: string) => ({ tenantId, userId }),
    take: ({ tenant }) => tenant,
  }),
  reqDeleteTenant: defineRequest({
    summary: 'Delete a tenant',
    description:
      'Deletes a tenant with its databases, members, invites and tokens. For its admins. This can’t be undone.',
    requires: 'tenant:delete',
    token: 'device',
    audited: 'deleted the tenant',
    payload: { tenantId: shapes.id },
    answer: { tenantId: v.string() },
    ask: (tenantId: string) => ({ tenantId }),
    take: ({ tenantId }) => tenantId,
  }),
  reqListTenantsByUser: defineRequest({
    summary: 'List tenants',
    description:
      'Lists the caller’s tenants, with their members where the caller is an admin. `writers` has the names, never the addresses, of members and guests who wrote to a database that the caller may read.',
    requires: 'user:active',
    handlerChecks: 'self',
    token: 'read',
    audited: false,
    payload: shapes.page,
    answer: {
      userId: v.string(),
      authUserId: v.optional(v.string()),
      tenants: v.array(shapes.userTenant),
      next: shapes.next,
    },
    ask: () => ({}),
    take: ({ tenants }) => tenants,
  }),
  /** Fixpoint extension. To read the next page, send `next` as `after` (or `before`). */
  reqListAudit: defineRequest({
    summary: 'List audit records',
    description: 'Lists who did what in a tenant, newest first. For its admins.',
    requires: 'audit:read',
    token: 'admin',
    audited: false,
    payload: {
      tenantId: shapes.id,
      before: v.optional(wholeNumber(1)),
      after: v.optional(wholeNumber(1)),
      /** Default: 100. */
      limit: v.optional(wholeNumber(1, 200)),
    },
    answer: { records: v.array(shapes.auditRecord), next: v.optional(v.number()) },
  }),
  /** Fixpoint extension. Days are days in UTC. */
  reqListUsage: defineRequest({
    summary: 'List usage by day',
    description:
      'Lists what a tenant used on each of the last days: bytes sent and fetched, requests, and storage. For its admins.',
    requires: 'audit:read',
    token: 'admin',
    audited: false,
    payload: {
      tenantId: shapes.id,
      /** How many days, with today. Default: 30. */
      days: v.optional(wholeNumber(1, 90)),
    },
    answer: {
      /** Oldest day first. */
      days: v.array(usedDay),
      /** Stored bytes of objects now. */
      bytes: v.number(),
      /** The byte quota; missing without one. */
      maxBytes: v.optional(v.number()),
    },
    ask: (tenantId: string) => ({ tenantId }),
  }),
} as const;
