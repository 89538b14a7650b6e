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

const RANK: Readonly<Record<TokenRight, number>> = { read: 0, write: 1, admin: 2 };

/**
 * Requires that the token covers the request type.
 * @throws FixpointError FORBIDDEN for a request that the token doesn't cover
 */
export function requireScope(scope: Scope | undefined, type: RequestType): void {
  if (scope === undefined) return;
  const needed = REQUESTS[type].token;
  const isAllowed =
    needed === 'never'
      ? false
      : needed === 'device'
        ? scope.tenantId === undefined && scope.right === 'admin'
        : RANK[scope.right] >= RANK[needed];
  if (!isAllowed) throw new FixpointError('FORBIDDEN', "this token doesn't allow this request");
}

/** Returns whether the token covers the tenant. */
export const isInScope = (scope: Scope | undefined, tenantId: string): boolean =>
  scope?.tenantId === undefined || scope.tenantId === tenantId;
