import { certFromCsr } from './cert-from-csr.ts';
import { cloudSessionToken } from './cloud-session-token.ts';
import { createApiToken } from './create-api-token.ts';
import { createLedger } from './create-ledger.ts';
import { createTenant } from './create-tenant.ts';
import { decideLogin } from './decide-login.ts';
import { deleteInvite } from './delete-invite.ts';
import { deleteLedger } from './delete-ledger.ts';
import { deleteTenant } from './delete-tenant.ts';
import { describeLogin } from './describe-login.ts';
import { ensureCloudToken } from './ensure-cloud-token.ts';
import { ensureUser } from './ensure-user.ts';
import { extendToken } from './extend-token.ts';
import { findUser } from './find-user.ts';
import type { Handlers } from './handler.ts';
import { inviteUser } from './invite-user.ts';
import { listApiTokens } from './list-api-tokens.ts';
import { listAudit } from './list-audit.ts';
import { listInvites } from './list-invites.ts';
import { listLedgersByUser } from './list-ledgers-by-user.ts';
import { listShares } from './list-shares.ts';
import { listTenantsByUser } from './list-tenants-by-user.ts';
import { pollLogin } from './poll-login.ts';
import { redeemInvite } from './redeem-invite.ts';
import { rejectInvite } from './reject-invite.ts';
import { removeMember } from './remove-member.ts';
import { revokeApiToken } from './revoke-api-token.ts';
import { shareLedger } from './share-ledger.ts';
import { startLogin } from './start-login.ts';
import { tokenByResultId } from './token-by-result-id.ts';
import { transferTenant } from './transfer-tenant.ts';
import { unshareLedger } from './unshare-ledger.ts';
import { updateLedger } from './update-ledger.ts';
import { updateTenant } from './update-tenant.ts';
import { updateUserTenant } from './update-user-tenant.ts';

export const HANDLERS: Handlers = {
  reqEnsureUser: ensureUser,
  reqFindUser: findUser,
  reqCreateTenant: createTenant,
  reqUpdateTenant: updateTenant,
  reqTransferTenant: transferTenant,
  reqDeleteTenant: deleteTenant,
  reqListTenantsByUser: listTenantsByUser,
  reqUpdateUserTenant: updateUserTenant,
  reqInviteUser: inviteUser,
  reqListInvites: listInvites,
  reqDeleteInvite: deleteInvite,
  reqRedeemInvite: redeemInvite,
  reqCreateLedger: createLedger,
  reqUpdateLedger: updateLedger,
  reqDeleteLedger: deleteLedger,
  reqListLedgersByUser: listLedgersByUser,
  reqCloudSessionToken: cloudSessionToken,
  reqTokenByResultId: tokenByResultId,
  reqEnsureCloudToken: ensureCloudToken,
  reqExtendToken: extendToken,
  reqCertFromCsr: certFromCsr,
  reqRemoveMember: removeMember,
  reqRejectInvite: rejectInvite,
  reqShareLedger: shareLedger,
  reqUnshareLedger: unshareLedger,
  reqListShares: listShares,
  reqListAudit: listAudit,
  reqCreateApiToken: createApiToken,
  reqDecideLogin: decideLogin,
  reqDescribeLogin: describeLogin,
  reqListApiTokens: listApiTokens,
  reqPollLogin: pollLogin,
  reqRevokeApiToken: revokeApiToken,
  reqStartLogin: startLogin,
};
