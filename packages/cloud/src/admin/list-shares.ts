import { FixpointError } from '@fixpoint/protocol';
import { getLedger } from '../tables/ledgers/ledger-rows.ts';
import { listShares as sharesOf } from '../tables/ledgers/ledger-users.ts';
import { timestamp } from '../tables/new-row.ts';
import { expireOverdue, listInvitesToLedger } from '../tables/tenants/invite-tickets.ts';
import { describeToAdmins } from './describe-invite.ts';
import { describeShare } from './describe-share.ts';
import type { Handler } from './handler.ts';
import { pageOf } from './page.ts';
import { withNames } from './with-names.ts';

export const listShares: Handler<'reqListShares'> = {
  target: ({ ledger }) => ledger,
  run: async ({ db, now }, { ledger: { ledgerId }, ended = false, ...page }) => {
    await expireOverdue(db, timestamp(now));
    const ledger = await getLedger(db, ledgerId);
    if (ledger === undefined) throw new FixpointError('NOT_FOUND');
    const { items, ...more } = pageOf(await sharesOf(db, ledgerId, ended), ({ userId }) => userId, page);
    const shares = (await withNames(db, items)).map(describeShare);
    const invites = page.after === undefined ? await listInvitesToLedger(db, ledgerId) : [];
    const tickets = await describeToAdmins(db, invites);
    return { ledgerId, maxShares: ledger.maxShares, shares, tickets, ...more };
  },
};
