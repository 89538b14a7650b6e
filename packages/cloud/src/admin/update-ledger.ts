import { FixpointError } from '@fixpoint/protocol';
import { renameLedger } from '../tables/ledgers/ledger-rows.ts';
import { timestamp } from '../tables/new-row.ts';
import { lockTenant } from '../tables/tenants/tenant-rows.ts';
import { describeLedger, requireFreeName, unlessNameTaken } from './describe-ledger.ts';
import type { Handler } from './handler.ts';

export const updateLedger: Handler<'reqUpdateLedger'> = {
  target: ({ ledger }) => ledger,
  run: async ({ db, caller, now }, { ledger }) => {
    await lockTenant(db, ledger.tenantId, timestamp(now));
    await requireFreeName(db, ledger);
    const row = await unlessNameTaken(renameLedger(db, ledger, timestamp(now)));
    if (row === undefined) throw new FixpointError('NOT_FOUND');
    return { ledger: describeLedger({ row, role: 'admin', right: 'write' }, caller.userId) };
  },
};
