import { describeTenantsOf } from './describe-tenant.ts';
import type { Handler } from './handler.ts';
import { pageOf } from './page.ts';
import { isInScope } from './scope.ts';

export const listTenantsByUser: Handler<'reqListTenantsByUser'> = {
  run: async ({ db, caller, person, scope }, page) => {
    const all = (await describeTenantsOf(db, caller)).filter(({ tenantId }) => isInScope(scope, tenantId));
    const { items, ...more } = pageOf(all, ({ tenantId }) => tenantId, page);
    return { userId: caller.userId, authUserId: person.providerUserId, tenants: items, ...more };
  },
};
