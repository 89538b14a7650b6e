import type { LedgerKind } from '@fixpoint/protocol/storage';
import type { Connection } from '../connection.ts';
import type { NewLimits } from '../new-limits.ts';
import { forgetSizes } from '../operators/object-sizes.ts';
import type { Ledger } from '../schema.ts';
import { insertRemovedLedgers } from './removed-ledgers.ts';

export async function countLedgers(db: Connection, tenantId: string): Promise<number> {
  const { count } = await db
    .selectFrom('Ledgers')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('tenantId', '=', tenantId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Returns ids and names of all ledgers of a tenant. */
export async function listLedgerNames(db: Connection, tenantId: string) {
  return db.selectFrom('Ledgers').select(['ledgerId', 'name']).where('tenantId', '=', tenantId).execute();
}

/** Returns the next ledgers of all tenants, in the order of their ids. */
export async function listLedgersAfter(db: Connection, after: string, limit: number) {
  return db
    .selectFrom('Ledgers')
    .select(['tenantId', 'ledgerId'])
    .where('ledgerId', '>', after)
    .orderBy('ledgerId')
    .limit(limit)
    .execute();
}

/**
 * Adds a ledger.
 * @throws an error that `isDuplicate` recognises when the tenant has a ledger of this name
 */
export async function insertLedger(
  db: Connection,
  ledger: {
    readonly ledgerId: string;
    readonly tenantId: string;
    readonly ownerId: string;
    readonly name: string;
    readonly kind?: LedgerKind;
    readonly successorOf?: string;
  },
  { maxShares }: Pick<NewLimits, 'maxShares'>,
  at: string,
): Promise<Ledger> {
  return db
    .insertInto('Ledgers')
    .values({ ...ledger, maxShares, createdAt: at, updatedAt: at })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * Renames a ledger.
 * @throws an error that `isDuplicate` recognises when the tenant has a ledger of this name
 */
export async function renameLedger(
  db: Connection,
  { tenantId, ledgerId, name }: Pick<Ledger, 'tenantId' | 'ledgerId' | 'name'>,
  at: string,
): Promise<Ledger | undefined> {
  return db
    .updateTable('Ledgers')
    .set({ name, updatedAt: at })
    .where('tenantId', '=', tenantId)
    .where('ledgerId', '=', ledgerId)
    .returningAll()
    .executeTakeFirst();
}

/** Sets or clears the ledger that a ledger moved to. Returns undefined if the ledger is gone. */
export async function setMovedTo(
  db: Connection,
  { tenantId, ledgerId }: Pick<Ledger, 'tenantId' | 'ledgerId'>,
  movedTo: string | null,
  at: string,
): Promise<Ledger | undefined> {
  return db
    .updateTable('Ledgers')
    .set({ movedTo, updatedAt: at })
    .where('tenantId', '=', tenantId)
    .where('ledgerId', '=', ledgerId)
    .returningAll()
    .executeTakeFirst();
}

/** Forgets that a ledger was created to replace another one. */
export async function forgetPredecessor(
  db: Connection,
  { ledgerId, successorOf }: { readonly ledgerId: string; readonly successorOf: string },
  at: string,
): Promise<void> {
  await db
    .updateTable('Ledgers')
    .set({ successorOf: null, updatedAt: at })
    .where('ledgerId', '=', ledgerId)
    .where('successorOf', '=', successorOf)
    .execute();
}

export async function getLedger(db: Connection, ledgerId: string): Promise<Ledger | undefined> {
  return db
    .selectFrom('Ledgers')
    .selectAll()
    .where('ledgerId', '=', ledgerId)
    .where('status', '=', 'active')
    .executeTakeFirst();
}

/**
 * Returns active ledgers of the user's tenants, oldest first, with the columns that decide the
 * user's access.
 */
export async function listLedgersOf(db: Connection, userId: string) {
  return db
    .selectFrom('Ledgers')
    .innerJoin('Tenants', 'Tenants.tenantId', 'Ledgers.tenantId')
    .innerJoin('TenantUsers', 'TenantUsers.tenantId', 'Ledgers.tenantId')
    .leftJoin('LedgerUsers', (join) =>
      join
        .onRef('LedgerUsers.ledgerId', '=', 'Ledgers.ledgerId')
        .onRef('LedgerUsers.userId', '=', 'TenantUsers.userId'),
    )
    .selectAll('Ledgers')
    .select([
      'TenantUsers.role as tenantRole',
      'LedgerUsers.right as ownRight',
      'LedgerUsers.status as ownStatus',
    ])
    .where('TenantUsers.userId', '=', userId)
    .where('TenantUsers.status', '=', 'active')
    .where('Tenants.status', '=', 'active')
    .where('Ledgers.status', '=', 'active')
    .orderBy('Ledgers.createdAt')
    .orderBy('Ledgers.ledgerId')
    .execute();
}

/**
 * Removes ledgers with their metas, keys, users and invites, and records that their objects must be
 * deleted.
 */
export async function removeLedgers(
  db: Connection,
  ledgers: readonly { readonly tenantId: string; readonly ledgerId: string }[],
  at: string,
): Promise<void> {
  if (ledgers.length === 0) return;
  const ledgerIds = ledgers.map(({ ledgerId }) => ledgerId);
  await insertRemovedLedgers(db, ledgers, at);
  // Locks the rows, so that a parallel put of a meta waits and then doesn't find the ledger.
  await db.updateTable('Ledgers').set({ status: 'inactive' }).where('ledgerId', 'in', ledgerIds).execute();
  const ofLedgers = ['Metas', 'LedgerObjects', 'ObjectRemovals', 'FaultyObjects', 'LedgerKeys'] as const;
  for (const table of [...ofLedgers, 'LedgerUsers', 'AppBindings', 'EndedAccess'] as const)
    await db.deleteFrom(table).where('ledgerId', 'in', ledgerIds).execute();
  await forgetSizes(db, ledgerIds);
  for (const link of ['movedTo', 'successorOf'] as const)
    await db.updateTable('Ledgers').set(link, null).where(link, 'in', ledgerIds).execute();
  await db.deleteFrom('InviteTickets').where('invitedLedgerId', 'in', ledgerIds).execute();
  await db.deleteFrom('Ledgers').where('ledgerId', 'in', ledgerIds).execute();
}
