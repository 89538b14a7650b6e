import { FixpointError } from '@fixpoint/protocol';
import { lockUser } from '../tables/accounts/user-rows.ts';
import { newId, timestamp } from '../tables/new-row.ts';
import { countTenantsOwnedBy, insertTenant } from '../tables/tenants/tenant-rows.ts';
import { insertMember } from '../tables/tenants/tenant-users.ts';
import { recordAction } from './audit.ts';
import type { Handler } from './handler.ts';

/** Creates a tenant with the caller as its owner and first admin. */
export const createTenant: Handler<'reqCreateTenant'> = {
  run: async (context, { tenant: { name } }) => {
    const { db, caller, now } = context;
    const { userId, maxTenants } = caller;
    const at = timestamp(now);
    await lockUser(db, userId, at);
    if ((await countTenantsOwnedBy(db, userId)) >= maxTenants)
      throw new FixpointError('LIMIT_REACHED', `${maxTenants} tenants`);
    const tenantId = newId();
    const tenant = await insertTenant(db, { tenantId, name, ownerUserId: userId }, at);
    await insertMember(db, { tenantId, userId, role: 'admin' }, at);
    await recordAction(context, 'reqCreateTenant', { tenantId }, { tenant: { name } });
    return { tenant };
  },
};
