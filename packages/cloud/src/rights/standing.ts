import type { Connection } from '../tables/connection.ts';

export type LedgerAccess = 'none' | 'read' | 'write';

/** A user's role in a tenant, and the user's access to one ledger of that tenant. */
export interface Standing {
  /** A guest has access only to the ledgers that were shared with them. */
  readonly role: 'admin' | 'member' | 'guest';
  /** Also 'none' for a ledger that doesn't exist, isn't active, or belongs to another tenant. */
  readonly access: LedgerAccess;
}

/** Columns that decide what a member of a tenant may do in a ledger. */
export interface Grant {
  readonly tenantRole: string;
  /** From the row of the ledger for this member; null if there is no such row. */
  readonly ownRight: string | null;
  readonly ownStatus: string | null;
}

/**
 * Returns the access to a ledger. Admins of the tenant may write. Members may write, too, unless a
 * row of the ledger sets another right for them. Guests need such a row. See docs/roles.md.
 */
export function accessBy({ tenantRole, ownRight, ownStatus }: Grant): LedgerAccess {
  if (tenantRole === 'admin') return 'write';
  if (ownStatus === null) return tenantRole === 'guest' ? 'none' : 'write';
  if (ownStatus !== 'active') return 'none';
  return ownRight === 'write' ? 'write' : 'read';
}

/**
 * Returns a user's standing; undefined when user, tenant or membership is missing or not active.
 */
export async function readStanding(
  db: Connection,
  userId: string,
  tenantId: string,
  ledgerId: string | undefined,
): Promise<Standing | undefined> {
  const row = await db
    .selectFrom('TenantUsers')
    .innerJoin('Tenants', 'Tenants.tenantId', 'TenantUsers.tenantId')
    .innerJoin('Users', 'Users.userId', 'TenantUsers.userId')
    .leftJoin('Ledgers', (join) =>
      join
        .onRef('Ledgers.tenantId', '=', 'TenantUsers.tenantId')
        .on('Ledgers.ledgerId', '=', ledgerId ?? '')
        .on('Ledgers.status', '=', 'active'),
    )
    .leftJoin('LedgerUsers', (join) =>
      join
        .onRef('LedgerUsers.ledgerId', '=', 'Ledgers.ledgerId')
        .onRef('LedgerUsers.userId', '=', 'TenantUsers.userId'),
    )
    .select([
      'TenantUsers.role as tenantRole',
      'Ledgers.ledgerId',
      'LedgerUsers.right as ownRight',
      'LedgerUsers.status as ownStatus',
    ])
    .where('TenantUsers.userId', '=', userId)
    .where('TenantUsers.tenantId', '=', tenantId)
    .where('TenantUsers.status', '=', 'active')
    .where('Tenants.status', '=', 'active')
    .where('Users.status', '=', 'active')
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    role: roleFrom(row.tenantRole),
    access: row.ledgerId === null ? 'none' : accessBy(row),
  };
}

/** Returns whether the user is an admin of the tenant now. */
export async function isTenantAdmin(db: Connection, userId: string, tenantId: string): Promise<boolean> {
  return (await readStanding(db, userId, tenantId, undefined))?.role === 'admin';
}

const roleFrom = (stored: string): Standing['role'] =>
  stored === 'admin' || stored === 'guest' ? stored : 'member';
