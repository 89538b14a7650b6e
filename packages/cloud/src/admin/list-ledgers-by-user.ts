import { describeLedger, readableLedgers } from './describe-ledger.ts';
import type { Handler } from './handler.ts';
import { pageOf } from './page.ts';
import { isInScope } from './scope.ts';

/** Lists ledgers. Returns nothing for tenants that the caller doesn't belong to. */
export const listLedgersByUser: Handler<'reqListLedgersByUser'> = {
  run: async ({ db, caller: { userId }, scope }, { tenantIds, ...page }) => {
    const all = await readableLedgers(db, userId);
    const isWanted = (tenantId: string) => tenantIds === undefined || tenantIds.includes(tenantId);
    const wanted = all.filter(({ row: { tenantId } }) => isInScope(scope, tenantId) && isWanted(tenantId));
    const { items, ...more } = pageOf(wanted, ({ row }) => row.ledgerId, page);
    return { userId, ledgers: items.map((one) => describeLedger(one, userId)), ...more };
  },
};
