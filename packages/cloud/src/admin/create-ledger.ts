import { FixpointError } from '@fixpoint/protocol';
import { countLedgers, insertLedger } from '../tables/ledgers/ledger-rows.ts';
import { upsertLedgerUser } from '../tables/ledgers/ledger-users.ts';
import { newId, timestamp } from '../tables/new-row.ts';
import { lockTenant } from '../tables/tenants/tenant-rows.ts';
import { describeLedger, requireFreeName, unlessNameTaken } from './describe-ledger.ts';
import type { Handler } from './handler.ts';

export const createLedger: Handler<'reqCreateLedger'> = {
  target: ({ ledger: { tenantId } }) => ({ tenantId }),
  run: async ({ db, caller: { userId }, now }, { ledger: { tenantId, name, kind } }) => {
    const at = timestamp(now);
    const tenant = await lockTenant(db, tenantId, at);
    if (tenant === undefined) throw new FixpointError('NOT_FOUND');
    if ((await countLedgers(db, tenantId)) >= tenant.maxLedgers)
      throw new FixpointError('LIMIT_REACHED', `${tenant.maxLedgers} databases`);
    await requireFreeName(db, { tenantId, name });
    const ledgerId = newId();
    const row = await unlessNameTaken(
      insertLedger(db, { ledgerId, tenantId, ownerId: userId, name, ...(kind && { kind }) }, at),
    );
    await upsertLedgerUser(db, { ledgerId, userId, role: 'admin', right: 'write' }, at);
    return { ledger: describeLedger({ row, role: 'admin', right: 'write' }, userId) };
  },
};
