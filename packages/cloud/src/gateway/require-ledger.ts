import { FixpointError } from '@fixpoint/protocol';
import type { LedgerId } from '../tables/sync/meta-rows.ts';
import type { CloudClaims } from '../tokens/cloud-tokens.ts';
import type { GatewayParts } from './gateway-types.ts';

/**
 * Returns the ledger of a request if the caller may use it as requested. The token must contain the
 * tenant and the ledger, and the tables must currently grant the right. A ledger that the caller
 * can't see looks like one that doesn't exist.
 * @throws FixpointError NOT_FOUND; FORBIDDEN when a reader requests a write
 */
export async function requireLedger(
  { rights }: Pick<GatewayParts, 'rights'>,
  claims: CloudClaims,
  asked: { readonly tenant: string; readonly ledger: string } | undefined,
  needed: 'read' | 'write',
): Promise<LedgerId> {
  const { tenant, ledger } = asked ?? claims.selected;
  const granted = grantOf(claims, tenant, ledger);
  if (tenant === undefined || ledger === undefined || granted === 'none')
    throw new FixpointError('NOT_FOUND', 'tenant or ledger');
  const access = await rights.accessTo(claims.userId, tenant, ledger, claims.apiToken);
  if (access === 'none') throw new FixpointError('NOT_FOUND', 'tenant or ledger');
  if (needed === 'write' && (access === 'read' || granted === 'read')) throw new FixpointError('FORBIDDEN');
  return { tenant, ledger };
}

/** Returns the right that the token grants in a ledger of a tenant. */
function grantOf({ tenants, ledgers, selected }: CloudClaims, tenant?: string, ledger?: string) {
  if (!tenants.some(({ id }) => id === tenant) && selected.tenant !== tenant) return 'none';
  const named = ledgers.find(({ id }) => id === ledger);
  if (named !== undefined) return named.right === 'read' ? 'read' : 'write';
  return selected.ledger === ledger ? 'write' : 'none';
}
