import { type Connection, type Db, inTransaction } from '../connection.ts';
import { forgetSizes } from '../operators/object-sizes.ts';
import type { RemovedLedgersTable } from '../schema.ts';

/** Records ledgers whose rows are deleted in the same transaction. */
export async function insertRemovedLedgers(
  db: Connection,
  ledgers: readonly { readonly tenantId: string; readonly ledgerId: string }[],
  at: string,
): Promise<void> {
  if (ledgers.length === 0) return;
  await db
    .insertInto('RemovedLedgers')
    .values(ledgers.map((ledger) => ({ ...ledger, removedAt: at })))
    .execute();
}

/** Returns removed ledgers, earliest removal first. */
export async function listRemovedLedgers(db: Connection, limit: number): Promise<RemovedLedgersTable[]> {
  return db.selectFrom('RemovedLedgers').selectAll().orderBy('removedAt').limit(limit).execute();
}

/** Also forgets the sizes of objects that arrived after the ledger was removed. */
export async function forgetRemovedLedger(db: Db, ledgerId: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    await forgetSizes(tx, [ledgerId]);
    await tx.deleteFrom('RemovedLedgers').where('ledgerId', '=', ledgerId).execute();
  });
}
