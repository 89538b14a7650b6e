/** Requests about invites to tenants and ledgers. */
import * as v from 'valibot';
import { defineRequest } from './define-request.ts';
import { fields, oneOf } from './field-schemas.ts';
import * as shapes from './shapes.ts';

const ticket = fields({
  inviteId: v.optional(shapes.id),
  incSendEmailCount: v.optional(v.boolean()),
  query: shapes.query,
  invitedParams: shapes.invitedParams,
});

export const inviteRequests = {
  /**
   * Only a user with that verified address can accept an invite by email. LIMIT_REACHED above 10
   * pending invites of the tenant. CONFLICT when the person is already invited or a member.
   */
  reqInviteUser: defineRequest({
    summary: 'Invite somebody',
    description:
      'Invites a user or an email address to a tenant or to one database. For admins. With `inviteId` it updates a pending invite; with `incSendEmailCount` it sends the email again.',
    requires: 'invites:manage',
    token: 'admin',
    audited: 'invited somebody',
    payload: { ticket },
    answer: { invite: shapes.invite },
    ask: (invited: v.InferInput<typeof ticket>) => ({ ticket: invited }),
    take: ({ invite }) => invite,
  }),
  /**
   * With `toMe` (Fixpoint extension), each invite has the name of the tenant or ledger, and the
   * address of the inviter.
   */
  reqListInvites: defineRequest({
    summary: 'List invites',
    description:
      'Lists invites to the tenants that the caller administers, or with `toMe` the caller’s own pending invites.',
    requires: 'user:active',
    handlerChecks: 'self',
    token: 'admin',
    audited: false,
    payload: {
      tenantIds: v.optional(shapes.ids),
      ledgerIds: v.optional(shapes.ids),
      toMe: v.optional(v.boolean()),
      ...shapes.page,
    },
    answer: { tickets: v.array(shapes.invite), next: shapes.next },
    ask: (wanted: { readonly tenantIds?: string[]; readonly toMe?: boolean } = {}) => wanted,
    take: ({ tickets }) => tickets,
  }),
  reqDeleteInvite: defineRequest({
    summary: 'Revoke an invite',
    description: 'Revokes a pending invite, or removes an ended one from the list. For admins of its tenant.',
    requires: 'invites:manage',
    token: 'admin',
    audited: 'removed an invitation',
    payload: { inviteId: shapes.id },
    answer: { inviteId: v.string() },
    ask: (inviteId: string) => ({ inviteId }),
    take: ({ inviteId }) => inviteId,
  }),
  /**
   * Fixpoint extension. NOT_FOUND for a link that is unknown, used, expired or replaced by the link
   * in a newer mail.
   */
  reqDescribeInvite: defineRequest({
    summary: 'Describe the invite of a link',
    description:
      'Returns who invites to what, for the secret of a link in the mail of an invite. Needs no `auth`: the secret proves that the caller reads the invited address.',
    requires: 'nobody',
    token: 'never',
    audited: false,
    payload: { secret: v.pipe(v.string(), v.minLength(20), v.maxLength(200)) },
    answer: {
      inviteId: v.string(),
      /** The invited address. */
      email: v.string(),
      kind: oneOf(['tenant', 'ledger']),
      /** Name of the tenant or ledger. */
      place: v.string(),
      /** The role in the tenant, or the right in the ledger. */
      may: v.string(),
      /** Address of the inviter. */
      inviter: v.optional(v.string()),
      expiresAfter: v.string(),
      /** Whether somebody signed in with the invited address before. */
      hasAccount: v.boolean(),
    },
    ask: (secret: string) => ({ secret }),
  }),
  /**
   * Accepts the pending invites to the caller's id or verified email. The answer omits invites that
   * can't be accepted now. `inviteId` is a Fixpoint extension: NOT_FOUND for an unknown invite or
   * an invite for somebody else, EMAIL_UNVERIFIED, INVITE_EXPIRED, INVITE_ENDED, LIMIT_REACHED when
   * the tenant or ledger is full.
   */
  reqRedeemInvite: defineRequest({
    summary: 'Accept invites',
    description:
      'Accepts the caller’s pending invites. With `inviteId` it accepts that invite, or reports why it can’t.',
    requires: 'user:active',
    handlerChecks: 'self',
    token: 'device',
    audited: 'accepted an invitation',
    payload: { inviteId: v.optional(shapes.id) },
    answer: { invites: v.array(shapes.invite) },
    ask: (inviteId?: string) => (inviteId === undefined ? {} : { inviteId }),
    take: ({ invites }) => invites,
  }),
  /** Fixpoint extension. */
  reqRejectInvite: defineRequest({
    summary: 'Reject an invite',
    description: 'Rejects one of the caller’s pending invites.',
    requires: 'user:active',
    handlerChecks: 'self',
    token: 'device',
    audited: 'rejected an invitation',
    payload: { inviteId: shapes.id },
    answer: { invite: shapes.invite },
    ask: (inviteId: string) => ({ inviteId }),
    take: ({ invite }) => invite,
  }),
} as const;
