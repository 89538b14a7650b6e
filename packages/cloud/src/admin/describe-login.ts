import { FixpointError } from '@fixpoint/protocol';
import { getPendingLogin } from '../tables/accounts/login-codes.ts';
import { timestamp } from '../tables/new-row.ts';
import type { Handler } from './handler.ts';

export const describeLogin: Handler<'reqDescribeLogin'> = {
  perMinute: 10,
  run: async ({ db, now }, { userCode }) => {
    const row = await getPendingLogin(db, userCode, timestamp(now));
    if (row === undefined) throw new FixpointError('NOT_FOUND', 'code');
    const { client, createdAt, origin } = row;
    return { client, createdAt, ...(origin !== null && { from: origin }) };
  },
};
