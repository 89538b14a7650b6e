import { FixpointError } from '@fixpoint/protocol';
import { expireOverdue, listInvitesToLedger } from '../tables/invite-tickets.ts';
import { listShares as sharesOf } from '../tables/ledger-users.ts';
import { getLedger } from '../tables/ledgers.ts';
import { timestamp } from '../tables/new-row.ts';
import { describeToAdmins } from './describe-invite.ts';
import { describeShare } from './describe-share.ts';
import type { Handler } from './handler.ts';
import { withNames } from './with-names.ts';

export const listShares: Handler<'reqListShares'> = {
  requires: 'ledger:share',
  target: ({ ledger }) => ledger,
  run: async ({ db, now }, { ledger: { ledgerId }, ended = false }) => {
    await expireOverdue(db, timestamp(now));
    const ledger = await getLedger(db, ledgerId);
    if (ledger === undefined) throw new FixpointError('NOT_FOUND');
    const shares = (await withNames(db, await sharesOf(db, ledgerId, ended))).map(describeShare);
    const tickets = await describeToAdmins(db, await listInvitesToLedger(db, ledgerId));
    return { ledgerId, maxShares: ledger.maxShares, shares, tickets };
  },
};
