import { describeLedger, readableLedgers } from './describe-ledger.ts';
import type { Handler } from './handler.ts';

/** Ids of tenants that the caller does not belong to give nothing. */
export const listLedgersByUser: Handler<'reqListLedgersByUser'> = {
  requires: 'user:active',
  run: async ({ db, caller: { userId } }, { tenantIds }) => {
    const all = await readableLedgers(db, userId);
    const wanted = all.filter(({ row }) => tenantIds === undefined || tenantIds.includes(row.tenantId));
    return { userId, ledgers: wanted.map((one) => describeLedger(one, userId)) };
  },
};
