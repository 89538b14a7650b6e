import { FixpointError } from '@fixpoint/protocol';
import { decideLoginCode } from '../tables/accounts/login-codes.ts';
import { timestamp } from '../tables/new-row.ts';
import type { Handler } from './handler.ts';
import { mailNewAccess } from './mail-new-access.ts';

export const decideLogin: Handler<'reqDecideLogin'> = {
  perMinute: 10,
  confirms: ({ approve }) => approve,
  run: async (context, { userCode, approve }) => {
    const { db, caller, now } = context;
    const status = approve ? 'approved' : 'denied';
    const decision = { status, userId: caller.userId } as const;
    const decided = await decideLoginCode(db, userCode, decision, timestamp(now));
    if (decided === undefined) throw new FixpointError('NOT_FOUND', 'code');
    if (approve) mailNewAccess(context, { kind: 'device', name: decided.client });
    return { status };
  },
};
