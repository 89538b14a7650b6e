import { FixpointError, LIMITS } from '@fixpoint/protocol';
import { newId, timestamp } from '../tables/new-row.ts';
import { insertApiToken, listApiTokens, removeOverdueApiTokens } from '../tables/tenants/api-token-rows.ts';
import { lockTenant } from '../tables/tenants/tenant-rows.ts';
import { hashOfSecret, newApiToken } from '../tokens/api-tokens.ts';
import { describeApiToken } from './describe-api-token.ts';
import type { Handler } from './handler.ts';
import { mailNewAccess } from './mail-new-access.ts';

const DAYS_DEFAULT = 90;
const DAY_MS = 86_400_000;

export const createApiToken: Handler<'reqCreateApiToken'> = {
  confirms: () => true,
  target: ({ tenantId }) => ({ tenantId }),
  run: async (context, { tenantId, name, right = 'read', days = DAYS_DEFAULT }) => {
    const { db, caller, now } = context;
    const at = timestamp(now);
    await removeOverdueApiTokens(db, at);
    if ((await lockTenant(db, tenantId, at)) === undefined) throw new FixpointError('NOT_FOUND');
    const { length } = await listApiTokens(db, { tenantId }, at);
    if (length >= LIMITS.apiTokensPerTenantMax)
      throw new FixpointError('LIMIT_REACHED', `${LIMITS.apiTokensPerTenantMax} tokens`);
    const token = newApiToken();
    const row = await insertApiToken(db, {
      tokenId: newId(),
      hash: hashOfSecret(token),
      userId: caller.userId,
      tenantId,
      name,
      right,
      createdAt: at,
      expiresAt: timestamp(now + days * DAY_MS),
    });
    mailNewAccess(context, { kind: 'token', name });
    return { apiToken: describeApiToken(row), token };
  },
};
