/**
 * Decides who may do what: one function and one table. Everything that the table doesn't allow is
 * denied. Rights are read from the database, never from a token's claims. A tenant or ledger that a
 * user can't see doesn't exist for them (NOT_FOUND), so nobody can find out which ids exist (S1). A
 * user who can see the target but lacks the right gets FORBIDDEN, with a message that says who has
 * the right.
 */
import { FixpointError } from '@fixpoint/protocol';
import type { Connection } from '../tables/connection.ts';
import { isOperator } from '../tables/operators/operator-rows.ts';
import { readStanding, type Standing } from './standing.ts';

/** For each action, returns whether a standing is enough. */
const NEEDS = {
  'tenant:read': isThere,
  'tenant:update': isAdmin,
  'tenant:delete': isAdmin,
  'tenant:transfer': isAdmin,
  'members:manage': isAdmin,
  'audit:read': isAdmin,
  'tokens:manage': isAdmin,
  'applications:manage': isAdmin,
  'invites:manage': isAdmin,
  'ledger:create': isAdmin,
  'ledger:update': isAdminOfLedger,
  'ledger:delete': isAdminOfLedger,
  'ledger:move': isAdminOfLedger,
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

/** The message to a user who can see the target, but lacks the right. */
const REFUSALS: { readonly [A in Action]: string } = {
  'tenant:read': 'Only members of this tenant may read it',
  'tenant:update': 'Only admins of this tenant may rename it',
  'tenant:delete': 'Only admins of this tenant may delete it',
  'tenant:transfer': 'Only the owner of this tenant may transfer it',
  'members:manage': 'Only admins of this tenant may manage its members',
  'audit:read': 'Only admins of this tenant may read its audit log',
  'tokens:manage': 'Only admins of this tenant may manage its API tokens',
  'applications:manage': 'Only admins of this tenant may manage its applications',
  'invites:manage': 'Only admins of this tenant may manage its invites',
  'ledger:create': 'Only admins of this tenant may create databases in it',
  'ledger:update': 'Only admins of this tenant may rename its databases',
  'ledger:delete': 'Only admins of this tenant may delete its databases',
  'ledger:move': 'Only admins of this tenant may replace its databases',
  'ledger:share': 'Only admins of this tenant may share its databases',
  'ledger:read': 'Only people with access to this database may read it',
  'ledger:write': 'This database is shared with you for reading only',
};

/** A user, with the rights that they have at this moment. */
export interface Principal {
  readonly userId: string;
  /** The scope of the token that authenticates the user, which may be bound to one tenant. */
  readonly scope?: { readonly tenantId: string | undefined } | undefined;
}

/** A tenant, or one of its ledgers. */
export interface Target {
  readonly tenantId: string;
  readonly ledgerId?: string;
}

/**
 * Requires a right.
 * @throws FixpointError NOT_FOUND for a target that the principal can't see, FORBIDDEN when they
 * lack the right
 */
export async function authorize(
  db: Connection,
  { userId, scope }: Principal,
  action: Action,
  { tenantId, ledgerId }: Target,
): Promise<void> {
  if (scope?.tenantId !== undefined && scope.tenantId !== tenantId) throw new FixpointError('NOT_FOUND');
  const standing = await readStanding(db, userId, tenantId, ledgerId);
  const isOfLedger = action.startsWith('ledger:') && action !== 'ledger:create';
  if (standing === undefined || (isOfLedger && standing.access === 'none'))
    throw new FixpointError('NOT_FOUND');
  if (!NEEDS[action](standing)) throw forbidden(REFUSALS[action]);
}

/**
 * Requires that the principal operates this server. No token carries this right.
 * @throws FixpointError FORBIDDEN
 */
export async function requireOperator(db: Connection, { userId, scope }: Principal): Promise<void> {
  if (scope !== undefined || !(await isOperator(db, userId)))
    throw forbidden('Only operators of this server may do this');
}

/** Returns an error with this sentence, which users read unchanged. */
function forbidden(sentence: string): FixpointError {
  const error = new FixpointError('FORBIDDEN');
  error.message = sentence;
  return error;
}
