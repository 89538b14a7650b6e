import { FixpointError, LIMITS } from '@fixpoint/protocol';
import type { ApiToken } from '@fixpoint/protocol/admin';
import { authorize } from '../../rights/authorize.ts';
import { newId, timestamp } from '../../tables/new-row.ts';
import type { ApiTokenRow } from '../../tables/schema.ts';
import {
  getApiToken,
  insertApiToken,
  listApiTokens,
  removeApiToken,
  removeOverdueApiTokens,
} from '../../tables/tenants/api-token-rows.ts';
import { lockTenant } from '../../tables/tenants/tenant-rows.ts';
import { hashOfSecret, newApiToken } from '../../tokens/new-api-token.ts';
import { recordAction } from '../audit.ts';
import type { Handlers } from '../handler.ts';
import { mailNewAccess } from '../parts/mail-new-access.ts';
import { pageOf } from '../parts/page-of.ts';

const DAYS_DEFAULT = 90;
const DAY_MS = 86_400_000;

export const apiTokenHandlers = {
  reqCreateApiToken: {
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
  },
  reqListApiTokens: {
    run: async ({ db, caller, scope, now }, { tenantId = scope?.tenantId, ...page }) => {
      const { userId } = caller;
      if (tenantId !== undefined) await authorize(db, { userId, scope }, 'tokens:manage', { tenantId });
      const of = tenantId === undefined ? { userId } : { tenantId };
      const found = await listApiTokens(db, of, timestamp(now));
      const { items, ...more } = pageOf(found, ({ tokenId }) => tokenId, page);
      return { apiTokens: items.map(describeApiToken), ...more };
    },
  },
  reqRevokeApiToken: {
    revokes: true,
    run: async (context, { tokenId }) => {
      const { db, caller, scope } = context;
      const { userId } = caller;
      const row = await getApiToken(db, tokenId);
      if (row === undefined) throw new FixpointError('NOT_FOUND');
      const { tenantId } = row;
      if (tenantId === null) {
        if (row.userId !== userId || scope?.tenantId !== undefined) throw new FixpointError('NOT_FOUND');
      } else {
        await authorize(db, { userId, scope }, 'tokens:manage', { tenantId });
        await recordAction(context, 'reqRevokeApiToken', { tenantId }, { tokenId, name: row.name });
      }
      await removeApiToken(db, tokenId);
      return { tokenId };
    },
  },
} satisfies Partial<Handlers>;

/** Returns all fields of a token except the hash of its secret. */
const describeApiToken = ({ hash: _, tenantId, lastUsedAt, ...row }: ApiTokenRow): ApiToken => ({
  ...row,
  ...(tenantId !== null && { tenantId }),
  ...(lastUsedAt !== null && { lastUsedAt }),
});
