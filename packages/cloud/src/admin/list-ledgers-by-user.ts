import { describeLedger, readableLedgers } from './describe-ledger.ts';
import type { Handler } from './handler.ts';
import { isInScope } from './scope.ts';

/** Ids of tenants that the caller does not belong to give nothing. */
export const listLedgersByUser: Handler<'reqListLedgersByUser'> = {
  requires: 'user:active',
  run: async ({ db, caller: { userId }, scope }, { tenantIds }) => {
    const all = await readableLedgers(db, userId);
    const isWanted = (tenantId: string) => tenantIds === undefined || tenantIds.includes(tenantId);
    const wanted = all.filter(({ row: { tenantId } }) => isInScope(scope, tenantId) && isWanted(tenantId));
    return { userId, ledgers: wanted.map((one) => describeLedger(one, userId)) };
  },
};
