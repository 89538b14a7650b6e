import { FixpointError } from '@fixpoint/protocol';
import { timestamp } from '../tables/new-row.ts';
import { renameTenant } from '../tables/tenants/tenant-rows.ts';
import type { Handler } from './handler.ts';

export const updateTenant: Handler<'reqUpdateTenant'> = {
  target: ({ tenant }) => tenant,
  run: async ({ db, now }, { tenant: { tenantId, name } }) => {
    const tenant = await renameTenant(db, tenantId, name, timestamp(now));
    if (tenant === undefined) throw new FixpointError('NOT_FOUND');
    return { tenant };
  },
};
