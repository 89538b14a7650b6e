import type { Connection } from '../tables/database.ts';

export type LedgerAccess = 'none' | 'read' | 'write';

/** What somebody is in a tenant, and what follows for a ledger of it. */
export interface Standing {
  /** A guest is there for the ledgers that were shared with him alone. */
  readonly role: 'admin' | 'member' | 'guest';
  /** 'none', too, for a ledger that is not there, is not active, or belongs to another tenant. */
  readonly access: LedgerAccess;
}

/** Columns that decide what a member of a tenant may do in a ledger. */
export interface Grant {
  readonly tenantRole: string;
  /** Of the member's own row in the ledger; null without one. */
  readonly ownRight: string | null;
  readonly ownStatus: string | null;
}

/** Admins of the tenant may write. Members may write, too, unless a row of the ledger says otherwise about them; guests need one. See docs/roles.md. */
export function accessBy({ tenantRole, ownRight, ownStatus }: Grant): LedgerAccess {
  if (tenantRole === 'admin') return 'write';
  if (ownStatus === null) return tenantRole === 'guest' ? 'none' : 'write';
  if (ownStatus !== 'active') return 'none';
  return ownRight === 'write' ? 'write' : 'read';
}

/** Undefined when user, tenant or membership is not there or not active. */
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

/** Whether the user is an admin of the tenant now. */
export async function isTenantAdmin(db: Connection, userId: string, tenantId: string): Promise<boolean> {
  return (await readStanding(db, userId, tenantId, undefined))?.role === 'admin';
}

const roleFrom = (stored: string): Standing['role'] =>
  stored === 'admin' || stored === 'guest' ? stored : 'member';
