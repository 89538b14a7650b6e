import type { Invite } from '@fixpoint/protocol/admin';
import { listProviders } from '../tables/accounts/user-rows.ts';
import { timestamp } from '../tables/new-row.ts';
import type { InviteTicket } from '../tables/schema.ts';
import { expireOverdue, listInvitesTo } from '../tables/tenants/invite-tickets.ts';
import { listMemberships } from '../tables/tenants/tenant-users.ts';
import { describeGift, describeInvite, describeToAdmins } from './describe-invite.ts';
import { roleOf } from './describe-tenant.ts';
import type { Handler, UserContext } from './handler.ts';
import { pageOf } from './page.ts';
import { isInScope } from './scope.ts';
import { waitingFor } from './waiting-invites.ts';

/** Lists invites. Returns nothing for tenants that the caller doesn't administer. */
export const listInvites: Handler<'reqListInvites'> = {
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
};

/**
 * Returns pending invites to the caller, with what the mail says: the place and the inviter.
 * Returns none for a token that is bound to one tenant.
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
