import { FixpointError } from '@fixpoint/protocol';
import type { CleanPayload, Ledger } from '@fixpoint/protocol/admin';
import { countLedgers, insertLedger, removeLedgers, renameLedger } from '../../tables/ledgers/ledger-rows.ts';
import { upsertLedgerUser } from '../../tables/ledgers/ledger-users.ts';
import { newId, timestamp } from '../../tables/new-row.ts';
import { lockTenant } from '../../tables/tenants/tenant-rows.ts';
import type { Handlers, UserContext } from '../handler.ts';
import {
  describeLedger,
  readableLedgers,
  requireFreeName,
  unlessNameTaken,
} from '../parts/describe-ledger.ts';
import { pageOf } from '../parts/page-of.ts';
import { isInScope } from '../scope.ts';

type NewLedger = CleanPayload<'reqCreateLedger'>['ledger'];

export const ledgerHandlers = {
  reqCreateLedger: {
    target: ({ ledger: { tenantId } }) => ({ tenantId }),
    run: async (context, { ledger }) => ({ ledger: await createLedger(context, ledger) }),
  },
  reqUpdateLedger: {
    target: ({ ledger }) => ledger,
    run: async ({ db, caller, now }, { ledger }) => {
      await lockTenant(db, ledger.tenantId, timestamp(now));
      await requireFreeName(db, ledger);
      const row = await unlessNameTaken(renameLedger(db, ledger, timestamp(now)));
      if (row === undefined) throw new FixpointError('NOT_FOUND');
      return { ledger: describeLedger({ row, role: 'admin', right: 'write' }, caller.userId) };
    },
  },
  /**
   * Deletes the ledger with its metas, users and invites. Afterwards, nobody gets URLs for its
   * objects. A background job deletes the objects later.
   */
  reqDeleteLedger: {
    revokes: true,
    target: ({ ledger }) => ledger,
    run: async ({ db, now }, { ledger }) => {
      await removeLedgers(db, [ledger], timestamp(now));
      return { ledgerId: ledger.ledgerId };
    },
  },
  /** Lists ledgers. Returns nothing for tenants that the caller doesn't belong to. */
  reqListLedgersByUser: {
    run: async ({ db, caller: { userId }, scope }, { tenantIds, ...page }) => {
      const all = await readableLedgers(db, userId);
      const isWanted = (tenantId: string) => tenantIds === undefined || tenantIds.includes(tenantId);
      const wanted = all.filter(({ row: { tenantId } }) => isInScope(scope, tenantId) && isWanted(tenantId));
      const { items, ...more } = pageOf(wanted, ({ row }) => row.ledgerId, page);
      return { userId, ledgers: items.map((one) => describeLedger(one, userId)), ...more };
    },
  },
} satisfies Partial<Handlers>;

/**
 * Creates a ledger whose first user is the caller. Doesn't check the right to create ledgers.
 * @throws FixpointError LIMIT_REACHED, CONFLICT when the name is taken
 */
export async function createLedger(
  { db, caller: { userId }, now, newLimits }: UserContext,
  { tenantId, name, kind }: NewLedger,
): Promise<Ledger> {
  const at = timestamp(now);
  const tenant = await lockTenant(db, tenantId, at);
  if (tenant === undefined) throw new FixpointError('NOT_FOUND');
  if ((await countLedgers(db, tenantId)) >= tenant.maxLedgers)
    throw new FixpointError('LIMIT_REACHED', `${tenant.maxLedgers} databases`);
  await requireFreeName(db, { tenantId, name });
  const ledgerId = newId();
  const limits = { maxShares: tenant.maxShares ?? newLimits.maxShares };
  const row = await unlessNameTaken(
    insertLedger(db, { ledgerId, tenantId, ownerId: userId, name, ...(kind && { kind }) }, limits, at),
  );
  await upsertLedgerUser(db, { ledgerId, userId, role: 'admin', right: 'write' }, at);
  return describeLedger({ row, role: 'admin', right: 'write' }, userId);
}
