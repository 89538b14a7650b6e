import type { Connection } from './database.ts';

/** Says what one user may do in one ledger, instead of what follows from the role in the tenant. */
export async function upsertLedgerUser(
  db: Connection,
  row: {
    readonly ledgerId: string;
    readonly userId: string;
    readonly role: 'admin' | 'member';
    readonly right: 'read' | 'write';
  },
  at: string,
): Promise<void> {
  const { role, right } = row;
  await db
    .insertInto('LedgerUsers')
    .values({ ...row, name: null, createdAt: at, updatedAt: at })
    .onConflict((conflict) =>
      conflict.columns(['ledgerId', 'userId']).doUpdateSet({ role, right, updatedAt: at }),
    )
    .execute();
}
