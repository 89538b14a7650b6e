import { insertLoginCode } from '../tables/accounts/login-codes.ts';
import { timestamp } from '../tables/new-row.ts';
import { hashOfSecret, newDeviceCode, newUserCode } from '../tokens/api-tokens.ts';
import type { Handler } from './handler.ts';

const LIFE_SECONDS = 600;
const INTERVAL_SECONDS = 5;

export const startLogin: Handler<'reqStartLogin'> = {
  perMinute: 20,
  run: async ({ db, now, from, consoleUrl }, { client }) => {
    const [deviceCode, userCode] = [newDeviceCode(), newUserCode()];
    const shown = `${userCode.slice(0, 4)}-${userCode.slice(4)}`;
    await insertLoginCode(db, {
      hash: hashOfSecret(deviceCode),
      userCode,
      client,
      origin: from ?? null,
      createdAt: timestamp(now),
      expiresAt: timestamp(now + LIFE_SECONDS * 1000),
    });
    const verificationUrl = `${consoleUrl}/device?code=${shown}`;
    return {
      deviceCode,
      userCode: shown,
      verificationUrl,
      expiresInSec: LIFE_SECONDS,
      intervalSec: INTERVAL_SECONDS,
    };
  },
};
