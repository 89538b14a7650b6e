/** Limits API tokens to the requests whose definitions allow them. */
import { FixpointError } from '@fixpoint/protocol';
import { REQUESTS, type RequestType, type TokenRight } from '@fixpoint/protocol/admin';

/** The limits of the token that authenticates a request. */
export interface Scope {
  readonly tokenId: string;
  /** Undefined for a token that acts as its user everywhere. */
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
  if (!isAllowed) throw new FixpointError('FORBIDDEN', "this token doesn't allow it");
}

/** Returns whether the token covers the tenant. */
export const isInScope = (scope: Scope | undefined, tenantId: string): boolean =>
  scope?.tenantId === undefined || scope.tenantId === tenantId;
