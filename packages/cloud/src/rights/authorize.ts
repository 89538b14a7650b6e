/**
 * Who may do what: one function, one table, and what the table does not allow is refused. Rights are read from the database, never from a token's claims.
 * What somebody may not do something with does not exist for him: both are NOT_FOUND, so that nobody can find out which ids there are (S1).
 */
import { FixpointError } from '@fixpoint/protocol';
import type { Connection } from '../tables/database.ts';
import { readStanding, type Standing } from './standing.ts';

/** Which standing each action needs. */
const NEEDS = {
  'tenant:read': isThere,
  'tenant:update': isAdmin,
  'tenant:delete': isAdmin,
  'tenant:transfer': isAdmin,
  'members:manage': isAdmin,
  'audit:read': isAdmin,
  'tokens:manage': isAdmin,
  'invites:manage': isAdmin,
  'ledger:create': isAdmin,
  'ledger:update': isAdminOfLedger,
  'ledger:delete': isAdminOfLedger,
  'ledger:share': isAdminOfLedger,
  'ledger:read': (standing: Standing) => standing.access !== 'none',
  'ledger:write': (standing: Standing) => standing.access === 'write',
} as const satisfies Record<string, (standing: Standing) => boolean>;

function isThere(): boolean {
  return true;
}

function isAdmin({ role }: Standing): boolean {
  return role === 'admin';
}

function isAdminOfLedger({ role, access }: Standing): boolean {
  return role === 'admin' && access !== 'none';
}

export type Action = keyof typeof NEEDS;

/** A user, asking with the rights that he has at this moment. */
export interface Principal {
  readonly userId: string;
  /** The token by which he asks may be bound to one tenant. */
  readonly scope?: { readonly tenantId: string | undefined } | undefined;
}

/** A tenant, or a ledger of it. */
export interface Target {
  readonly tenantId: string;
  readonly ledgerId?: string;
}

/** @throws FixpointError NOT_FOUND unless the principal may do this with the target */
export async function authorize(
  db: Connection,
  { userId, scope }: Principal,
  action: Action,
  { tenantId, ledgerId }: Target,
): Promise<void> {
  if (scope?.tenantId !== undefined && scope.tenantId !== tenantId) throw new FixpointError('NOT_FOUND');
  const standing = await readStanding(db, userId, tenantId, ledgerId);
  if (standing === undefined || !NEEDS[action](standing)) throw new FixpointError('NOT_FOUND');
}
