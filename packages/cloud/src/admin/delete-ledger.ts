import { removeLedgers } from '../tables/ledgers.ts';
import type { Handler } from './handler.ts';

/** Ends the ledger with its metas. Its objects stay until they are swept up: without a ledger nobody gets a URL for them. */
export const deleteLedger: Handler<'reqDeleteLedger'> = {
  requires: 'ledger:delete',
  target: ({ ledger }) => ledger,
  run: async ({ db }, { ledger: { ledgerId } }) => {
    await removeLedgers(db, [ledgerId]);
    return { ledgerId };
  },
};
