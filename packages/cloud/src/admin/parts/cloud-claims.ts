import { FixpointError } from '@fixpoint/protocol';
import type { Connection } from '../../tables/connection.ts';
import type { User } from '../../tables/schema.ts';
import { listMemberships } from '../../tables/tenants/tenant-users.ts';
import type { CloudClaims } from '../../tokens/cloud-tokens.ts';
import { isInScope, type Scope } from '../scope.ts';
import { readableLedgers } from './describe-ledger.ts';
import { roleOf } from './describe-tenant.ts';
import { isEmail } from './email-address.ts';

/** The user for whom a cloud token is created. */
export interface TokenUser {
  readonly caller: User;
  readonly email: string;
  /** Scope of the API token that requested the cloud token, if any. */
  readonly scope: Scope | undefined;
}

/**
 * Returns the tenants and ledgers that a user may currently use, and the selected tenant and
 * ledger. Selects the first tenant and its first ledger by default.
 * @throws FixpointError NOT_FOUND when the user may not use the selected tenant or ledger
 */
export async function claimsFor(
  db: Connection,
  { caller, email, scope }: TokenUser,
  wanted: { readonly tenant?: string | undefined; readonly ledger?: string | undefined },
): Promise<CloudClaims> {
  const all = await listMemberships(db, caller.userId);
  const memberships = all.filter(({ tenantId }) => isInScope(scope, tenantId));
  const tenants = memberships.map(({ tenantId, role }) => ({ id: tenantId, role: roleOf(role) }));
  const readable = (await readableLedgers(db, caller.userId))
    .filter(({ row }) => isInScope(scope, row.tenantId))
    .map((one) => (scope?.right === 'read' ? { ...one, right: 'read' as const } : one));
  const ofWanted = wanted.ledger && readable.find(({ row }) => row.ledgerId === wanted.ledger)?.row.tenantId;
  const tenant = wanted.tenant ?? ofWanted ?? tenants[0]?.id;
  const ledger = wanted.ledger ?? readable.find(({ row }) => row.tenantId === tenant)?.row.ledgerId;
  const isKnown = (id: string) => tenants.some((one) => one.id === id);
  const isReadable = (id: string) =>
    readable.some(({ row }) => row.ledgerId === id && row.tenantId === tenant);
  if (tenant !== undefined && !isKnown(tenant)) throw new FixpointError('NOT_FOUND');
  if (ledger !== undefined && !isReadable(ledger)) throw new FixpointError('NOT_FOUND');
  return {
    userId: caller.userId,
    // Existing clients discard the whole token when this isn't an email address.
    email: isEmail(email) ? email : `${caller.userId}@unknown.email`,
    created: caller.createdAt,
    tenants,
    ledgers: readable.map(({ row, role, right }) => ({ id: row.ledgerId, role, right })),
    ...(scope !== undefined && { apiToken: scope.tokenId }),
    selected: { ...(tenant !== undefined && { tenant }), ...(ledger !== undefined && { ledger }) },
  };
}

/** Returns the claims reduced to one tenant and its ledgers. */
export async function narrowedToTenant(
  db: Connection,
  claims: CloudClaims,
  tenant: string | undefined,
): Promise<CloudClaims> {
  const inTenant = (await readableLedgers(db, claims.userId)).filter(({ row }) => row.tenantId === tenant);
  return narrowed(claims, {
    tenants: tenant === undefined ? [] : [tenant],
    ledgers: inTenant.map(({ row }) => row.ledgerId),
  });
}

/** Returns the claims reduced to the tenants and ledgers whose ids are in `ids`. */
export function narrowed(
  claims: CloudClaims,
  ids: { readonly tenants: readonly string[]; readonly ledgers: readonly string[] },
): CloudClaims {
  return {
    ...claims,
    tenants: claims.tenants.filter(({ id }) => ids.tenants.includes(id)),
    ledgers: claims.ledgers.filter(({ id }) => ids.ledgers.includes(id)),
  };
}
