import { describeTenantsOf } from './describe-tenant.ts';
import type { Handler } from './handler.ts';

export const listTenantsByUser: Handler<'reqListTenantsByUser'> = {
  requires: 'user:active',
  run: async ({ db, caller, person }) => ({
    userId: caller.userId,
    authUserId: person.providerUserId,
    tenants: await describeTenantsOf(db, caller),
  }),
};
