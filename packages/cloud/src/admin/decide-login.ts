import { FixpointError } from '@fixpoint/protocol';
import { decideLoginCode } from '../tables/login-codes.ts';
import { timestamp } from '../tables/new-row.ts';
import type { Handler } from './handler.ts';

export const decideLogin: Handler<'reqDecideLogin'> = {
  requires: 'user:active',
  perMinute: 10,
  run: async ({ db, caller, now }, { userCode, approve }) => {
    const status = approve ? 'approved' : 'denied';
    const decision = { status, userId: caller.userId } as const;
    if ((await decideLoginCode(db, userCode, decision, timestamp(now))) === undefined)
      throw new FixpointError('NOT_FOUND', 'code');
    return { status };
  },
};
