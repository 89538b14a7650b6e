import { authorize } from '../rights/authorize.ts';
import { timestamp } from '../tables/new-row.ts';
import { listApiTokens as tokensOf } from '../tables/tenants/api-token-rows.ts';
import { describeApiToken } from './describe-api-token.ts';
import type { Handler } from './handler.ts';
import { pageOf } from './page.ts';

export const listApiTokens: Handler<'reqListApiTokens'> = {
  run: async ({ db, caller, scope, now }, { tenantId = scope?.tenantId, ...page }) => {
    const { userId } = caller;
    if (tenantId !== undefined) await authorize(db, { userId, scope }, 'tokens:manage', { tenantId });
    const of = tenantId === undefined ? { userId } : { tenantId };
    const found = await tokensOf(db, of, timestamp(now));
    const { items, ...more } = pageOf(found, ({ tokenId }) => tokenId, page);
    return { apiTokens: items.map(describeApiToken), ...more };
  },
};
