import { timestamp } from '../tables/new-row.ts';
import { removeTenant } from '../tables/tenants/tenant-rows.ts';
import type { Handler } from './handler.ts';

/**
 * Deletes the tenant with its ledgers, members and invites. Tokens that name it stop working with
 * the next check of rights; objects are deleted in the background.
 */
export const deleteTenant: Handler<'reqDeleteTenant'> = {
  target: ({ tenantId }) => ({ tenantId }),
  run: async ({ db, now }, { tenantId }) => {
    await removeTenant(db, tenantId, timestamp(now));
    return { tenantId };
  },
};
