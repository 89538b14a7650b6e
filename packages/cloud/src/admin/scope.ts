/** What may be asked by an API token. Each request type is here, so that a new one is open to tokens only when somebody said so. */
import { FixpointError } from '@fixpoint/protocol';
import type { RequestType, TokenRight } from '@fixpoint/protocol/admin';

/** What the token by which somebody asks is limited to. */
export interface Scope {
  readonly tokenId: string;
  /** Undefined for a token that acts as its user everywhere. */
  readonly tenantId: string | undefined;
  readonly right: TokenRight;
}

/** The least right of a token; `device`: only by a token that is bound to no tenant; `never`: only by somebody who signed in himself. */
const NEEDS: Readonly<Record<RequestType, TokenRight | 'device' | 'never'>> = {
  reqEnsureUser: 'never',
  reqFindUser: 'device',
  reqCreateTenant: 'device',
  reqUpdateTenant: 'admin',
  // A token that leaked gives no tenant away.
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
  // A token that leaked makes no others, and signs nobody in.
  reqCreateApiToken: 'never',
  reqListApiTokens: 'admin',
  reqRevokeApiToken: 'admin',
  reqStartLogin: 'never',
  reqDescribeLogin: 'never',
  reqDecideLogin: 'never',
  reqPollLogin: 'never',
};

const RANK: Readonly<Record<TokenRight, number>> = { read: 0, write: 1, admin: 2 };

/** @throws FixpointError FORBIDDEN for a request that the token is not for */
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

/** Whether something of a tenant is within what the token is for. */
export const isInScope = (scope: Scope | undefined, tenantId: string): boolean =>
  scope?.tenantId === undefined || scope.tenantId === tenantId;
