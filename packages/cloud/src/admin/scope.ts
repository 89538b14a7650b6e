/** Restricts API tokens to request types whose definitions allow tokens. */
import { FixpointError } from '@fixpoint/protocol';
import { REQUESTS, type RequestType, type TokenRight } from '@fixpoint/protocol/admin';

/** The limits of the token that authenticates a request. */
export interface Scope {
  readonly tokenId: string;
  /**
   * The only tenant that the token covers; undefined for a token that covers all tenants of its
   * user.
   */
  readonly tenantId: string | undefined;
  readonly right: TokenRight;
}

const RANK = { read: 0, write: 1, admin: 2 } as const;

/**
 * Requires that the token covers the request type.
 * @throws FixpointError FORBIDDEN for a request that the token doesn't cover
 */
export function requireScope(scope: Scope | undefined, type: RequestType): void {
  if (scope === undefined) return;
  if (!covers(scope, type)) throw new FixpointError('FORBIDDEN', "this token doesn't allow this request");
}

function covers({ tenantId, right }: Scope, type: RequestType): boolean {
  const { token, forUsers } = REQUESTS[type];
  if (right === 'users') return forUsers === true;
  if (token === 'never') return false;
  return token === 'device' ? tenantId === undefined && right === 'admin' : RANK[right] >= RANK[token];
}

/** Returns whether the token covers the tenant. */
export const isInScope = (scope: Scope | undefined, tenantId: string): boolean =>
  scope?.tenantId === undefined || scope.tenantId === tenantId;
