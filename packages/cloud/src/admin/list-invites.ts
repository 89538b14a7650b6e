import { expireOverdue, listInvitesTo } from '../tables/invite-tickets.ts';
import { timestamp } from '../tables/new-row.ts';
import { listMemberships } from '../tables/tenant-users.ts';
import { describeInvite } from './describe-invite.ts';
import { roleOf } from './describe-tenant.ts';
import type { Handler } from './handler.ts';

/** Ids of tenants that the caller does not administer give nothing. */
export const listInvites: Handler<'reqListInvites'> = {
  requires: 'user:active',
  run: async ({ db, caller, now }, { tenantIds, ledgerIds }) => {
    await expireOverdue(db, timestamp(now));
    const memberships = await listMemberships(db, caller.userId);
    const isWanted = (id: string) =>
      tenantIds === undefined ? ledgerIds === undefined : tenantIds.includes(id);
    const tenants = memberships
      .filter(({ tenantId, role }) => roleOf(role) === 'admin' && isWanted(tenantId))
      .map(({ tenantId }) => tenantId);
    const tickets = await listInvitesTo(db, tenants);
    return { tickets: tickets.map(describeInvite) };
  },
};
