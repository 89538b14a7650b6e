import { getLoginCode, takeLoginCode } from '../tables/accounts/login-codes.ts';
import { newId, timestamp } from '../tables/new-row.ts';
import { insertApiToken } from '../tables/tenants/api-token-rows.ts';
import { hashOfSecret, newApiToken } from '../tokens/api-tokens.ts';
import type { Handler } from './handler.ts';

const DAYS = 90;
const DAY_MS = 86_400_000;

/** Creates the token when it is fetched, so that no earlier one can leak. */
export const pollLogin: Handler<'reqPollLogin'> = {
  perMinute: 60,
  run: async ({ db, now }, { deviceCode }) => {
    const hash = hashOfSecret(deviceCode);
    const at = timestamp(now);
    const row = await getLoginCode(db, hash);
    if (row === undefined || row.expiresAt <= at) return { status: 'expired' };
    const { status, userId, client: name } = row;
    if (status !== 'approved' || userId === null) return { status };
    if (!(await takeLoginCode(db, hash))) return { status: 'expired' };
    const token = newApiToken();
    await insertApiToken(db, {
      tokenId: newId(),
      hash: hashOfSecret(token),
      userId,
      tenantId: null,
      name,
      right: 'admin',
      createdAt: at,
      expiresAt: timestamp(now + DAYS * DAY_MS),
    });
    return { status, token };
  },
};
