import { removeLedgers } from '../tables/ledgers/ledger-rows.ts';
import { timestamp } from '../tables/new-row.ts';
import type { Handler } from './handler.ts';

/**
 * Deletes the ledger with its metas, users and invites. Its objects are deleted in the background:
 * without a ledger, nobody gets a URL for them.
 */
export const deleteLedger: Handler<'reqDeleteLedger'> = {
  target: ({ ledger }) => ledger,
  run: async ({ db, now }, { ledger }) => {
    await removeLedgers(db, [ledger], timestamp(now));
    return { ledgerId: ledger.ledgerId };
  },
};
