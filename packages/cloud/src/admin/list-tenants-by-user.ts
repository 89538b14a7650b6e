import { describeTenantsOf } from './describe-tenant.ts';
import type { Handler } from './handler.ts';
import { isInScope } from './scope.ts';

export const listTenantsByUser: Handler<'reqListTenantsByUser'> = {
  requires: 'user:active',
  run: async ({ db, caller, person, scope }) => ({
    userId: caller.userId,
    authUserId: person.providerUserId,
    tenants: (await describeTenantsOf(db, caller)).filter(({ tenantId }) => isInScope(scope, tenantId)),
  }),
};
