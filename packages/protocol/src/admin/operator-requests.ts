/**
 * Requests of operators: people who run this server. They see all tenants and users, but can't read
 * the documents of a ledger that isn't shared with them.
 */
import * as v from 'valibot';
import { defineRequest } from './define-request.ts';
import { oneOf, wholeNumber } from './field-schemas.ts';
import * as shapes from './shapes.ts';

const SEARCH_CHARS_MAX = 320;
/** Which part of a list to return: newest items first. */
const part = {
  search: v.optional(v.pipe(v.string(), v.maxLength(SEARCH_CHARS_MAX))),
  /** The `next` of the previous answer. */
  after: v.optional(shapes.id),
  /** Default: 50. */
  limit: v.optional(wholeNumber(1, 200)),
};
const limit = v.optional(wholeNumber(0, 1_000_000));
const OPERATORS = { requires: 'operator', token: 'never' } as const;

/** A tenant as operators see it. */
const serverTenant = v.looseObject({
  tenantId: v.string(),
  name: v.string(),
  status: v.string(),
  ownerUserId: v.string(),
  ownerEmail: v.optional(v.string()),
  createdAt: v.string(),
  maxAdminUsers: v.number(),
  maxMemberUsers: v.number(),
  maxInvites: v.number(),
  maxLedgers: v.number(),
  /** Shares of each new ledger. */
  maxShares: v.number(),
  admins: v.number(),
  members: v.number(),
  ledgers: v.number(),
  /** Stored bytes of objects. */
  bytes: v.number(),
  /** The byte quota; missing without one. */
  maxBytes: v.optional(v.number()),
  /** Bytes of objects that clients sent and fetched, on days with traffic of the last two weeks. */
  traffic: v.array(v.looseObject({ day: v.string(), uploaded: v.number(), downloaded: v.number() })),
});
export type ServerTenant = v.InferOutput<typeof serverTenant>;

/** A person who uses this server, as operators see them. */
const serverUser = v.looseObject({
  userId: v.string(),
  email: v.optional(v.string()),
  /** The sign-in provider. */
  provider: v.string(),
  /** `waiting`: on the waitlist; `inactive` for another reason. */
  status: oneOf(['active', 'banned', 'waiting', 'inactive']),
  operator: v.boolean(),
  ownedTenants: v.number(),
  maxTenants: v.number(),
  createdAt: v.string(),
  /** When the person last signed in. */
  usedAt: v.string(),
});
export type ServerUser = v.InferOutput<typeof serverUser>;

const gateway = v.looseObject({
  gatewayId: v.string(),
  url: v.string(),
  version: v.string(),
  sockets: v.number(),
  startedAt: v.string(),
  seenAt: v.string(),
});
export type RunningGateway = v.InferOutput<typeof gateway>;

const failedMail = v.looseObject({
  mailId: v.string(),
  receiver: v.string(),
  subject: v.string(),
  reason: v.string(),
  failedAt: v.string(),
});
export type FailedMail = v.InferOutput<typeof failedMail>;

const backup = v.looseObject({
  id: v.string(),
  /** The backup contains all writes before. */
  moment: v.string(),
  finished: v.string(),
  objects: v.number(),
  /** Stored bytes of the backup. */
  bytes: v.number(),
  /** Number of objects that it should have and lacks. */
  missing: v.number(),
});
export type ServerBackup = v.InferOutput<typeof backup>;

const serverRecord = v.looseObject({ ...shapes.auditRecord.entries, email: v.optional(v.string()) });
export type ServerRecord = v.InferOutput<typeof serverRecord>;

export const operatorRequests = {
  /** NOT_FOUND for a link that has ended. Also admits a caller who is on the waitlist. */
  reqClaimOperator: defineRequest({
    summary: 'Become the first operator',
    description:
      'Makes the caller the first operator of this server, with the one-time link that the server prints while it has no operator.',
    requires: 'person',
    token: 'never',
    audited: 'became the first operator',
    payload: { secret: v.pipe(v.string(), v.minLength(20), v.maxLength(200)) },
    answer: { operator: v.literal(true) },
    ask: (secret: string) => ({ secret }),
  }),
  reqDescribeServer: defineRequest({
    ...OPERATORS,
    summary: 'Describe the server',
    description: 'Returns the server’s version, its sign-up mode, and what it stores.',
    audited: false,
    payload: {},
    answer: {
      version: v.string(),
      signUp: oneOf(['open', 'waitlist', 'closed']),
      tenants: v.number(),
      people: v.number(),
      waiting: v.number(),
      ledgers: v.number(),
      bytes: v.number(),
      gateways: v.number(),
      /** Failed mails of the last seven days. */
      failedMails: v.number(),
    },
    ask: () => ({}),
  }),
  reqListServerTenants: defineRequest({
    ...OPERATORS,
    summary: 'List all tenants',
    description: 'Lists the tenants of this server with their limits, storage and traffic.',
    audited: false,
    payload: part,
    answer: { tenants: v.array(serverTenant), next: shapes.next },
  }),
  reqListServerUsers: defineRequest({
    ...OPERATORS,
    summary: 'List all people',
    description:
      'Lists the people who sign in at this server, without the users whom applications bring along.',
    audited: false,
    payload: { ...part, status: v.optional(oneOf(['active', 'banned', 'waiting'])) },
    answer: { users: v.array(serverUser), next: shapes.next },
  }),
  /** Missing limits stay. */
  reqSetTenantLimits: defineRequest({
    ...OPERATORS,
    summary: 'Set the limits of a tenant',
    description: 'Sets limits of a tenant, and its byte quota. Lower limits remove nothing.',
    audited: 'set the limits',
    payload: {
      tenantId: shapes.id,
      maxAdminUsers: limit,
      maxMemberUsers: limit,
      maxInvites: limit,
      maxLedgers: limit,
      /** Shares of each ledger that the tenant has or creates. */
      maxShares: limit,
      /** null removes the quota. */
      maxBytes: v.optional(v.nullable(wholeNumber(0))),
    },
    answer: { tenantId: v.string() },
  }),
  reqSetUserLimits: defineRequest({
    ...OPERATORS,
    summary: 'Set the limits of a person',
    description: 'Sets how many tenants a person may own.',
    audited: 'set the limit of tenants',
    payload: { userId: shapes.id, maxTenants: wholeNumber(0, 1_000_000) },
    answer: { userId: v.string() },
  }),
  /** CONFLICT for operators who ban themselves. */
  reqChangeUser: defineRequest({
    ...OPERATORS,
    summary: 'Ban or sign out a person',
    description:
      'Bans a person or lets them return, ends their sessions, or removes their passkeys and second factor.',
    audited: 'changed a user',
    payload: {
      userId: shapes.id,
      action: oneOf(['ban', 'unban', 'sign-out', 'reset-factors', 'remove', 'readmit']),
    },
    answer: { userId: v.string() },
    ask: (userId: string, action: 'ban' | 'unban' | 'sign-out' | 'reset-factors' | 'remove' | 'readmit') => ({
      userId,
      action,
    }),
  }),
  /** NOT_FOUND, and nobody is approved, if one of them isn't on the waitlist. */
  reqApproveWaiting: defineRequest({
    ...OPERATORS,
    summary: 'Approve people on the waitlist',
    description: 'Admits people on the waitlist, and notifies them by mail.',
    audited: 'approved from the waitlist',
    payload: { userIds: v.pipe(shapes.ids, v.minLength(1)) },
    answer: { userIds: v.array(v.string()) },
    ask: (userIds: string[]) => ({ userIds }),
  }),
  reqListGateways: defineRequest({
    ...OPERATORS,
    summary: 'List running gateways',
    description: 'Lists the processes that share the tables of this server.',
    audited: false,
    payload: {},
    answer: { gateways: v.array(gateway) },
    ask: () => ({}),
    take: ({ gateways }) => gateways,
  }),
  reqListFailedMails: defineRequest({
    ...OPERATORS,
    summary: 'List failed mails',
    description: 'Lists mails of the last 30 days that the mail server didn’t accept, without their texts.',
    audited: false,
    payload: {},
    answer: { mails: v.array(failedMail) },
    ask: () => ({}),
    take: ({ mails }) => mails,
  }),
  reqListBackups: defineRequest({
    ...OPERATORS,
    summary: 'List backups',
    description: 'Lists the complete backups that this server makes by schedule, newest first.',
    audited: false,
    payload: {},
    answer: {
      backups: v.array(backup),
      /** Hours between two backups; missing if the server makes none. */
      everyHours: v.optional(v.number()),
      /** Why the backups couldn’t be listed. */
      problem: v.optional(v.string()),
    },
    ask: () => ({}),
  }),
  reqListServerAudit: defineRequest({
    ...OPERATORS,
    summary: 'List all audit records',
    description: 'Lists who did what in all tenants and to the server itself, newest first.',
    audited: false,
    payload: {
      /** The `next` of the previous answer. */
      before: v.optional(v.pipe(v.string(), v.regex(/^[0-9TZ:.-]{1,40} [A-Za-z0-9_-]{1,128} \d{1,15}$/))),
      /** Default: 100. */
      limit: v.optional(wholeNumber(1, 200)),
    },
    answer: { records: v.array(serverRecord), next: v.optional(v.string()) },
  }),
} as const;
