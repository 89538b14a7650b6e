import type { Connection } from '../connection.ts';
import type { Ledger } from '../schema.ts';

/**
 * Sets the right of one user in one ledger. The right overrides the role `member` or `guest` in the
 * tenant, but not `admin`.
 */
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

/**
 * Ends a user's access to a ledger. Stores an inactive row, because a member without a row may read
 * and write.
 */
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

/**
 * Gives every user of a ledger the same right in another one, unless their right there was changed
 * later. Ended and restricted rights count, too: a member without a row may read and write.
 */
export async function copyLedgerUsers(
  db: Connection,
  from: string,
  to: Pick<Ledger, 'ledgerId'>,
  at: string,
): Promise<void> {
  const rows = await db.selectFrom('LedgerUsers').selectAll().where('ledgerId', '=', from).execute();
  for (const row of rows) {
    const { role, right, status, statusReason } = row;
    await db
      .insertInto('LedgerUsers')
      .values({ ...row, ledgerId: to.ledgerId, createdAt: at, updatedAt: at })
      .onConflict((conflict) =>
        conflict
          .columns(['ledgerId', 'userId'])
          .doUpdateSet({ role, right, status, statusReason, updatedAt: at })
          .where('LedgerUsers.updatedAt', '<=', row.updatedAt),
      )
      .execute();
  }
}

/** The `statusReason` of a read-only row that was kept when its user left the tenant. */
const KEPT = 'kept: read';

/**
 * Ends a user's access to the ledgers of a tenant, when their membership ends. Deletes rows that
 * let the user write. Keeps rows that restrict the user, without effect until a new membership
 * begins: see {@link listKeptLimits}.
 */
export async function endGrants(db: Connection, tenantId: string, userId: string, at: string): Promise<void> {
  const ledgers = db.selectFrom('Ledgers').select('ledgerId').where('tenantId', '=', tenantId);
  await db
    .deleteFrom('LedgerUsers')
    .where('userId', '=', userId)
    .where('ledgerId', 'in', ledgers)
    .where('status', '=', 'active')
    .where('right', '=', 'write')
    .execute();
  await db
    .updateTable('LedgerUsers')
    .set({ role: 'member', status: 'inactive', statusReason: KEPT, updatedAt: at })
    .where('userId', '=', userId)
    .where('ledgerId', 'in', ledgers)
    .where('status', '=', 'active')
    .execute();
}

/** Returns ledgers of a tenant that a user could only read before their membership ended. */
export async function listKeptLimits(db: Connection, tenantId: string, userId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('LedgerUsers')
    .innerJoin('Ledgers', 'Ledgers.ledgerId', 'LedgerUsers.ledgerId')
    .select('LedgerUsers.ledgerId')
    .where('Ledgers.tenantId', '=', tenantId)
    .where('LedgerUsers.userId', '=', userId)
    .where('LedgerUsers.status', '=', 'inactive')
    .where('LedgerUsers.statusReason', '=', KEPT)
    .orderBy('LedgerUsers.createdAt')
    .execute();
  return rows.map(({ ledgerId }) => ledgerId);
}

/**
 * Returns users with an active row in a ledger, oldest first. Omits the creator of the ledger while
 * they are an admin, and users whom applications bring along: these have limits of their own. With
 * `ended`, also returns members whose row was ended.
 */
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
    .leftJoin('ApplicationUsers', 'ApplicationUsers.userId', 'LedgerUsers.userId')
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
    .where('ApplicationUsers.userId', 'is', null)
    .where(({ eb, or, ref }) =>
      or([
        eb('LedgerUsers.userId', '!=', ref('Ledgers.ownerId')),
        // A creator who isn't an admin any more counts like any other user.
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
  if (!ended) return query.where('LedgerUsers.status', '=', 'active').execute();
  // Omits the rows of people who left the tenant.
  return query
    .where(({ eb, or }) =>
      or([eb('LedgerUsers.status', '=', 'active'), eb('TenantUsers.userId', 'is not', null)]),
    )
    .execute();
}

export type ShareRow = Awaited<ReturnType<typeof listShares>>[number];

/** Returns whether a user has an active row in any ledger of the tenant. */
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
