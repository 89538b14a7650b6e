import { FixpointError } from '@fixpoint/protocol';
import { timestamp } from '../tables/new-row.ts';
import { lockTenant } from '../tables/tenants/tenant-rows.ts';
import { getMember } from '../tables/tenants/tenant-users.ts';
import { giveTo } from './give-tenant.ts';
import type { Handler } from './handler.ts';
import { isOrganizationAdmin } from './join-organization.ts';

/**
 * Hands a tenant over: only its owner may. In an organisation's tenant, so may an admin whom the
 * identity provider vouches for: the organisation owns it.
 */
export const transferTenant: Handler<'reqTransferTenant'> = {
  confirms: () => true,
  target: ({ tenantId }) => ({ tenantId }),
  run: async (context, { tenantId, userId }) => {
    const { db, caller, now } = context;
    const at = timestamp(now);
    const tenant = await lockTenant(db, tenantId, at);
    if (tenant === undefined) throw new FixpointError('NOT_FOUND');
    if (tenant.ownerUserId !== caller.userId && !(await isOrganizationAdmin(context, tenantId)))
      throw new FixpointError('FORBIDDEN', 'only the owner hands the tenant over');
    if ((await getMember(db, tenantId, userId))?.role !== 'admin')
      throw new FixpointError('CONFLICT', 'the new owner must be an admin of the tenant');
    return { tenant: await giveTo(db, tenant, userId, at) };
  },
};
