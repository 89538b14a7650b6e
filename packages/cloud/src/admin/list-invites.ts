import { expireOverdue, listInvitesTo } from '../tables/invite-tickets.ts';
import { timestamp } from '../tables/new-row.ts';
import type { InviteTicket } from '../tables/schema.ts';
import { listMemberships } from '../tables/tenant-users.ts';
import { describeInvite } from './describe-invite.ts';
import { roleOf } from './describe-tenant.ts';
import type { Handler } from './handler.ts';
import { isInScope } from './scope.ts';

/** Ids of tenants that the caller does not administer give nothing. */
export const listInvites: Handler<'reqListInvites'> = {
  requires: 'user:active',
  run: async ({ db, caller, scope, now }, { tenantIds, ledgerIds }) => {
    await expireOverdue(db, timestamp(now));
    const memberships = await listMemberships(db, caller.userId);
    const tenants = memberships
      .filter(({ role, tenantId }) => roleOf(role) === 'admin' && isInScope(scope, tenantId))
      .map(({ tenantId }) => tenantId);
    const all = await listInvitesTo(db, tenants);
    const isAll = tenantIds === undefined && ledgerIds === undefined;
    const isWanted = ({ invitedTenantId: tenant, invitedLedgerId: ledger }: InviteTicket) =>
      isAll || tenantIds?.includes(tenant ?? '') || ledgerIds?.includes(ledger ?? '');
    return { tickets: all.filter(isWanted).map(describeInvite) };
  },
};
