/**
 * Which requests an API token may send. Lists every request type, so that a new one is open to
 * tokens only after an explicit decision.
 */
import { FixpointError } from '@fixpoint/protocol';
import type { RequestType, TokenRight } from '@fixpoint/protocol/admin';

/** The limits of the token that authenticates a request. */
export interface Scope {
  readonly tokenId: string;
  /** Undefined for a token that acts as its user everywhere. */
  readonly tenantId: string | undefined;
  readonly right: TokenRight;
}

/**
 * The lowest right that a token needs; `device`: only a token that isn't bound to a tenant;
 * `never`: only a person who signed in.
 */
const NEEDS: Readonly<Record<RequestType, TokenRight | 'device' | 'never'>> = {
  reqEnsureUser: 'never',
  reqFindUser: 'device',
  reqCreateTenant: 'device',
  reqUpdateTenant: 'admin',
  // A leaked token must not give a tenant away.
  reqTransferTenant: 'never',
  reqDeleteTenant: 'device',
  reqListTenantsByUser: 'read',
  reqUpdateUserTenant: 'admin',
  reqInviteUser: 'admin',
  reqListInvites: 'admin',
  reqDeleteInvite: 'admin',
  reqRedeemInvite: 'device',
  reqRejectInvite: 'device',
  reqCreateLedger: 'admin',
  reqUpdateLedger: 'admin',
  reqDeleteLedger: 'admin',
  reqListLedgersByUser: 'read',
  reqCloudSessionToken: 'read',
  reqTokenByResultId: 'never',
  reqEnsureCloudToken: 'admin',
  reqExtendToken: 'never',
  reqCertFromCsr: 'never',
  reqRemoveMember: 'admin',
  reqShareLedger: 'admin',
  reqUnshareLedger: 'admin',
  reqListShares: 'admin',
  reqListAudit: 'admin',
  // A leaked token must not create others or sign anybody in.
  reqCreateApiToken: 'never',
  reqListApiTokens: 'admin',
  reqRevokeApiToken: 'admin',
  reqStartLogin: 'never',
  reqDescribeLogin: 'never',
  reqDecideLogin: 'never',
  reqPollLogin: 'never',
};

const RANK: Readonly<Record<TokenRight, number>> = { read: 0, write: 1, admin: 2 };

/**
 * Requires that the token covers the request type.
 * @throws FixpointError FORBIDDEN for a request that the token is not for
 */
export function requireScope(scope: Scope | undefined, type: RequestType): void {
  if (scope === undefined) return;
  const needed = NEEDS[type];
  const isAllowed =
    needed === 'never'
      ? false
      : needed === 'device'
        ? scope.tenantId === undefined && scope.right === 'admin'
        : RANK[scope.right] >= RANK[needed];
  if (!isAllowed) throw new FixpointError('FORBIDDEN', 'this token is not for that');
}

/** Returns whether the token covers the tenant. */
export const isInScope = (scope: Scope | undefined, tenantId: string): boolean =>
  scope?.tenantId === undefined || scope.tenantId === tenantId;
