import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { Invite } from '@fixpoint/protocol/admin';
import { namesOfEmail } from '../../tables/accounts/names-of-person.ts';
import { listProviders } from '../../tables/accounts/user-rows.ts';
import { getLedger } from '../../tables/ledgers/ledger-rows.ts';
import { timestamp } from '../../tables/new-row.ts';
import type { InviteTicket } from '../../tables/schema.ts';
import { inviteOfLink } from '../../tables/tenants/invite-links.ts';
import {
  expireOverdue,
  getInvite,
  listInvitesTo,
  removeInvite,
  updatePendingInvite,
} from '../../tables/tenants/invite-tickets.ts';
import { listMemberships } from '../../tables/tenants/tenant-users.ts';
import { recordAction } from '../audit.ts';
import type { Handlers, UserContext } from '../handler.ts';
import { acceptInvite } from '../parts/accept-invite.ts';
import { describeGift, describeInvite, describeToAdmins } from '../parts/describe-invite.ts';
import { roleOf } from '../parts/describe-tenant.ts';
import { pageOf } from '../parts/page-of.ts';
import { requireWaiting, waitingFor } from '../parts/waiting-invites.ts';
import { isInScope } from '../scope.ts';

export const inviteHandlers = {
  /** Lists invites to tenants that the caller administers; with `toMe`, invites to the caller. */
  reqListInvites: {
    run: async (context, { tenantIds, ledgerIds, toMe, ...page }) => {
      const inviteIdOf = ({ inviteId }: { readonly inviteId: string }) => inviteId;
      if (toMe === true) {
        const { items, ...more } = pageOf(await invitesToCaller(context), inviteIdOf, page);
        return { tickets: items, ...more };
      }
      const { db, caller, scope, now } = context;
      await expireOverdue(db, timestamp(now));
      const memberships = await listMemberships(db, caller.userId);
      const tenants = memberships
        .filter(({ role, tenantId }) => roleOf(role) === 'admin' && isInScope(scope, tenantId))
        .map(({ tenantId }) => tenantId);
      const all = await listInvitesTo(db, tenants);
      const isAll = tenantIds === undefined && ledgerIds === undefined;
      const isWanted = ({ invitedTenantId: tenant, invitedLedgerId: ledger }: InviteTicket) =>
        isAll || tenantIds?.includes(tenant ?? '') || ledgerIds?.includes(ledger ?? '');
      const { items, ...more } = pageOf(all.filter(isWanted), inviteIdOf, page);
      return { tickets: await describeToAdmins(db, items), ...more };
    },
  },
  /**
   * Revokes a pending invite, and keeps it in the list as revoked. Removes any other invite from
   * the list.
   */
  reqDeleteInvite: {
    revokes: true,
    target: async ({ inviteId }, db) => {
      const invite = await getInvite(db, inviteId);
      return invite?.invitedTenantId == null ? undefined : { tenantId: invite.invitedTenantId };
    },
    run: async ({ db, caller, now }, { inviteId }) => {
      const outcome = { status: 'revoked', statusReason: `revoked: ${caller.userId}` };
      const revoked = await updatePendingInvite(db, inviteId, outcome, timestamp(now));
      if (revoked === undefined) await removeInvite(db, inviteId);
      return { inviteId };
    },
  },
  /**
   * Describes the invite of a mailed link to people who have the link, before they sign in. The
   * link stays valid.
   */
  reqDescribeInvite: {
    perMinute: 30,
    run: async ({ db, now }, { secret }) => {
      const ticket = await inviteOfLink(db, secret, timestamp(now));
      const gift = ticket && (await describeGift(db, ticket));
      if (ticket === undefined || gift === undefined) throw new FixpointError('NOT_FOUND', 'link');
      const [inviter] = await listProviders(db, ticket.inviterUserId);
      const { userIds } = await namesOfEmail(db, ticket.queryEmail);
      return {
        inviteId: ticket.inviteId,
        email: ticket.queryEmail,
        ...gift,
        ...(inviter?.queryEmail && { inviter: inviter.queryEmail }),
        expiresAfter: ticket.expiresAfter,
        hasAccount: userIds.length > 0,
      };
    },
  },
  reqRedeemInvite: {
    run: async (context, { inviteId }) => {
      if (inviteId === undefined) return { invites: await redeemAll(context) };
      const ticket = await requireWaiting(context, inviteId);
      return { invites: [describeInvite(await acceptInvite(context, ticket))] };
    },
  },
  /** Rejects an invite to the caller. For everybody else, the answer is NOT_FOUND. */
  reqRejectInvite: {
    run: async (context, { inviteId }) => {
      const { db, caller, now } = context;
      const at = timestamp(now);
      if (!(await waitingFor(context)).some((invite) => invite.inviteId === inviteId))
        throw new FixpointError('NOT_FOUND');
      const outcome = { status: 'rejected', statusReason: `rejected: ${caller.userId}` };
      const invite = await updatePendingInvite(db, inviteId, outcome, at);
      if (invite === undefined) throw new FixpointError('NOT_FOUND');
      const { invitedTenantId, invitedLedgerId } = invite;
      const ofLedger = invitedLedgerId === null ? undefined : await getLedger(db, invitedLedgerId);
      const tenantId = invitedTenantId ?? ofLedger?.tenantId;
      if (tenantId !== undefined) await recordAction(context, 'reqRejectInvite', { tenantId }, { inviteId });
      return { invite: describeInvite(invite) };
    },
  },
} satisfies Partial<Handlers>;

/**
 * Returns the caller's pending invites, each with the name of the tenant or ledger and the address
 * of the inviter. Returns no invites for a token that is bound to one tenant.
 */
async function invitesToCaller(context: UserContext): Promise<Invite[]> {
  const { db, scope } = context;
  if (scope?.tenantId !== undefined) return [];
  const described: Invite[] = [];
  for (const ticket of await waitingFor(context)) {
    const gift = await describeGift(db, ticket);
    const [inviter] = await listProviders(db, ticket.inviterUserId);
    if (gift !== undefined)
      described.push({
        ...describeInvite(ticket),
        place: gift.place,
        ...(inviter?.queryEmail && { inviter: inviter.queryEmail }),
      });
  }
  return described;
}

/**
 * Accepts all pending invites of the caller, as existing clients expect. Skips invites that can't
 * be accepted now.
 */
async function redeemAll(context: UserContext): Promise<Invite[]> {
  const accepted: Invite[] = [];
  for (const ticket of await waitingFor(context)) {
    const invite = await unlessRefused(acceptInvite(context, ticket));
    if (invite !== undefined) accepted.push(describeInvite(invite));
  }
  return accepted;
}

const REFUSALS = ['LIMIT_REACHED', 'NOT_FOUND', 'INVITE_ENDED'] as const;

const unlessRefused = (work: Promise<InviteTicket>): Promise<InviteTicket | undefined> =>
  work.catch((cause) => {
    if (REFUSALS.some((code) => isFixpointError(cause, code))) return undefined;
    throw cause;
  });
