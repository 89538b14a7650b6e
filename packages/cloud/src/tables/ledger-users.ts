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
      conflict
        .columns(['ledgerId', 'userId'])
        .doUpdateSet({ role, right, status: 'active', statusReason: 'just created', updatedAt: at }),
    )
    .execute();
}

/** Takes away what a user has in a ledger. A member keeps a row that says so: without one he would have what all members have. */
export async function endLedgerUser(
  db: Connection,
  ledgerId: string,
  userId: string,
  at: string,
): Promise<void> {
  await db
    .insertInto('LedgerUsers')
    .values({
      ledgerId,
      userId,
      role: 'member',
      right: 'read',
      status: 'inactive',
      statusReason: 'revoked',
      name: null,
      createdAt: at,
      updatedAt: at,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['ledgerId', 'userId'])
        .doUpdateSet({ role: 'member', status: 'inactive', statusReason: 'revoked', updatedAt: at }),
    )
    .execute();
}

/** Those with an active row of their own in a ledger, but for who made it as long as he is an admin; oldest first. `ended`: also those whose row was ended. */
export async function listShares(db: Connection, ledgerId: string, ended = false) {
  const query = db
    .selectFrom('LedgerUsers')
    .innerJoin('Ledgers', 'Ledgers.ledgerId', 'LedgerUsers.ledgerId')
    .leftJoin('TenantUsers', (join) =>
      join
        .onRef('TenantUsers.tenantId', '=', 'Ledgers.tenantId')
        .onRef('TenantUsers.userId', '=', 'LedgerUsers.userId'),
    )
    .leftJoin('UserByProviders', 'UserByProviders.userId', 'LedgerUsers.userId')
    .select([
      'LedgerUsers.userId',
      'LedgerUsers.role',
      'LedgerUsers.right',
      'LedgerUsers.status',
      'LedgerUsers.createdAt',
      'LedgerUsers.updatedAt',
    ])
    .select(({ fn }) => [
      fn.min('TenantUsers.name').as('name'),
      fn.min('UserByProviders.queryEmail').as('email'),
    ])
    .where('LedgerUsers.ledgerId', '=', ledgerId)
    .where(({ eb, or, ref }) =>
      or([
        eb('LedgerUsers.userId', '!=', ref('Ledgers.ownerId')),
        // Without the tenant's rights his row counts as any other one does.
        eb('TenantUsers.role', '!=', 'admin'),
      ]),
    )
    .groupBy([
      'LedgerUsers.userId',
      'LedgerUsers.role',
      'LedgerUsers.right',
      'LedgerUsers.status',
      'LedgerUsers.createdAt',
      'LedgerUsers.updatedAt',
    ])
    .orderBy('LedgerUsers.createdAt')
    .orderBy('LedgerUsers.userId');
  return (ended ? query : query.where('LedgerUsers.status', '=', 'active')).execute();
}

export type ShareRow = Awaited<ReturnType<typeof listShares>>[number];

/** Whether a user has an active row in any ledger of the tenant. */
export async function hasShares(db: Connection, tenantId: string, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('LedgerUsers')
    .innerJoin('Ledgers', 'Ledgers.ledgerId', 'LedgerUsers.ledgerId')
    .select('LedgerUsers.ledgerId')
    .where('Ledgers.tenantId', '=', tenantId)
    .where('LedgerUsers.userId', '=', userId)
    .where('LedgerUsers.status', '=', 'active')
    .executeTakeFirst();
  return row !== undefined;
}
