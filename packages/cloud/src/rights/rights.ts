/**
 * Who may do what. Rights are read from the tables, never from a token's claims alone. What somebody may not see does not exist for him:
 * both are NOT_FOUND, so that nobody can find out which ids there are.
 */
import { FixpointError } from '@fixpoint/protocol';
import type { Connection } from '../tables/database.ts';

export type LedgerAccess = 'none' | 'read' | 'write';
const CACHE_MS = 5000;

export interface Membership {
  readonly role: 'admin' | 'member';
}

/** The caller's role in a tenant. @throws FixpointError NOT_FOUND when the caller is no member */
export async function requireMember(db: Connection, userId: string, tenantId: string): Promise<Membership> {
  const row = await db
    .selectFrom('TenantUsers')
    .innerJoin('Tenants', 'Tenants.tenantId', 'TenantUsers.tenantId')
    .select('TenantUsers.role')
    .where('TenantUsers.userId', '=', userId)
    .where('TenantUsers.tenantId', '=', tenantId)
    .where('TenantUsers.status', '=', 'active')
    .where('Tenants.status', '=', 'active')
    .executeTakeFirst();
  if (row === undefined) throw new FixpointError('NOT_FOUND');
  return { role: row.role === 'admin' ? 'admin' : 'member' };
}

/** @throws FixpointError NOT_FOUND unless the caller is an admin of the tenant */
export async function requireAdmin(db: Connection, userId: string, tenantId: string): Promise<void> {
  const { role } = await requireMember(db, userId, tenantId);
  if (role !== 'admin') throw new FixpointError('NOT_FOUND');
}

/** Admins of the tenant may write; its members too, unless a row of the ledger says otherwise. */
export async function ledgerAccess(
  db: Connection,
  userId: string,
  tenantId: string,
  ledgerId: string,
): Promise<LedgerAccess> {
  const row = await db
    .selectFrom('Ledgers')
    .innerJoin('Tenants', 'Tenants.tenantId', 'Ledgers.tenantId')
    .innerJoin('TenantUsers', 'TenantUsers.tenantId', 'Ledgers.tenantId')
    .innerJoin('Users', 'Users.userId', 'TenantUsers.userId')
    .leftJoin('LedgerUsers', (join) =>
      join
        .onRef('LedgerUsers.ledgerId', '=', 'Ledgers.ledgerId')
        .onRef('LedgerUsers.userId', '=', 'TenantUsers.userId'),
    )
    .select(['TenantUsers.role as role', 'LedgerUsers.right as right'])
    .where('Ledgers.ledgerId', '=', ledgerId)
    .where('Ledgers.tenantId', '=', tenantId)
    .where('TenantUsers.userId', '=', userId)
    .where('Ledgers.status', '=', 'active')
    .where('Tenants.status', '=', 'active')
    .where('TenantUsers.status', '=', 'active')
    .where('Users.status', '=', 'active')
    .executeTakeFirst();
  if (row === undefined) return 'none';
  return row.role === 'admin' || row.right !== 'read' ? 'write' : 'read';
}

export interface LedgerRights {
  /** At most five seconds old. */
  accessTo(userId: string, tenantId: string, ledgerId: string): Promise<LedgerAccess>;
}

export function createLedgerRights(db: Connection, now: () => number): LedgerRights {
  const known = new Map<string, { at: number; access: Promise<LedgerAccess> }>();
  return {
    accessTo: (userId, tenantId, ledgerId) => {
      const key = JSON.stringify([userId, tenantId, ledgerId]);
      const cached = known.get(key);
      if (cached !== undefined && now() - cached.at < CACHE_MS) return cached.access;
      if (known.size > 10_000) known.clear();
      const access = ledgerAccess(db, userId, tenantId, ledgerId);
      known.set(key, { at: now(), access });
      access.catch(() => known.delete(key));
      return access;
    },
  };
}
