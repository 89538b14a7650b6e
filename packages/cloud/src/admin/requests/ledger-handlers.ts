import { FixpointError } from '@fixpoint/protocol';
import type { CleanPayload, Ledger } from '@fixpoint/protocol/admin';
import { authorize } from '../../rights/authorize.ts';
import {
  countLedgers,
  forgetPredecessor,
  getLedger,
  insertLedger,
  removeLedgers,
  renameLedger,
  setMovedTo,
} from '../../tables/ledgers/ledger-rows.ts';
import { copyLedgerUsers, upsertLedgerUser } from '../../tables/ledgers/ledger-users.ts';
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
    run: async (context, { ledger }) => {
      const { tenantId, successorOf } = ledger;
      if (successorOf !== undefined)
        await authorize(context.db, principalOf(context), 'ledger:move', { tenantId, ledgerId: successorOf });
      return { ledger: await createLedger(context, ledger) };
    },
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
   * Names the successor of a ledger. If the successor was created to replace this ledger, its users
   * get the rights that they have here now, since these may have changed in the meantime.
   */
  reqMoveLedger: {
    revokes: true,
    target: ({ ledger }) => ledger,
    run: async (context, { ledger, movedTo }) => {
      const { db, caller, now } = context;
      const { tenantId, ledgerId } = ledger;
      const at = timestamp(now);
      await lockTenant(db, tenantId, at);
      const before = await getLedger(db, ledgerId);
      if (movedTo !== null && before?.movedTo !== movedTo) {
        if (movedTo === ledgerId) throw new FixpointError('CONFLICT', 'a database can’t move to itself');
        await authorize(db, principalOf(context), 'ledger:move', { tenantId, ledgerId: movedTo });
        const next = await getLedger(db, movedTo);
        if (next === undefined) throw new FixpointError('NOT_FOUND');
        if (next.movedTo !== null) throw new FixpointError('CONFLICT', 'the other database moved, too');
        if (next.successorOf === ledgerId) await copyLedgerUsers(db, ledgerId, next, at);
      }
      // A later move starts again: the ledger may have changed since then.
      if (movedTo === null && before?.movedTo)
        await forgetPredecessor(db, { ledgerId: before.movedTo, successorOf: ledgerId }, at);
      const row = await setMovedTo(db, ledger, movedTo, at);
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

const principalOf = ({ caller: { userId }, scope }: UserContext) => ({ userId, scope });

/**
 * Creates a ledger whose first user is the caller. Doesn't check the right to create ledgers.
 * @throws FixpointError LIMIT_REACHED, CONFLICT when the name is taken
 */
export async function createLedger(
  { db, caller: { userId }, now, newLimits }: UserContext,
  { tenantId, name, kind, successorOf }: NewLedger,
): Promise<Ledger> {
  const at = timestamp(now);
  const tenant = await lockTenant(db, tenantId, at);
  if (tenant === undefined) throw new FixpointError('NOT_FOUND');
  if ((await countLedgers(db, tenantId)) >= tenant.maxLedgers)
    throw new FixpointError('LIMIT_REACHED', `${tenant.maxLedgers} databases`);
  await requireFreeName(db, { tenantId, name });
  const ledgerId = newId();
  const replaced = successorOf === undefined ? undefined : await getLedger(db, successorOf);
  const limits = replaced ?? { maxShares: tenant.maxShares ?? newLimits.maxShares };
  const wanted = { ...(kind && { kind }), ...(successorOf !== undefined && { successorOf }) };
  const row = await unlessNameTaken(
    insertLedger(db, { ledgerId, tenantId, ownerId: userId, name, ...wanted }, limits, at),
  );
  if (successorOf !== undefined) await copyLedgerUsers(db, successorOf, row, at);
  await upsertLedgerUser(db, { ledgerId, userId, role: 'admin', right: 'write' }, at);
  return describeLedger({ row, role: 'admin', right: 'write' }, userId);
}
