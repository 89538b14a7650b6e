import type { AdminRow } from './table.ts';

/** The requests of the admin API; its own tests ask them with wrong credentials and foreign targets. */
export const ADMIN_ROWS: readonly AdminRow[] = [
  { type: 'reqEnsureUser', needs: 'identity', does: 'makes the user known, and takes invites' },
  { type: 'reqFindUser', needs: 'user', does: 'finds a user by whole address or id' },
  { type: 'reqCreateTenant', needs: 'user', does: 'makes a tenant of the own' },
  { type: 'reqUpdateTenant', needs: 'tenant admin', does: 'renames the tenant' },
  { type: 'reqDeleteTenant', needs: 'tenant admin', does: 'removes the tenant with its ledgers' },
  { type: 'reqListTenantsByUser', needs: 'self', does: 'lists the own tenants' },
  { type: 'reqUpdateUserTenant', needs: 'member', does: 'changes the own name; an admin changes roles' },
  { type: 'reqInviteUser', needs: 'tenant admin', does: 'invites somebody' },
  { type: 'reqListInvites', needs: 'self', does: 'lists invites of tenants whose admin one is' },
  { type: 'reqDeleteInvite', needs: 'tenant admin', does: 'takes an invite back' },
  { type: 'reqRedeemInvite', needs: 'self', does: 'takes the invites that name the caller' },
  { type: 'reqCreateLedger', needs: 'tenant admin', does: 'makes a ledger' },
  { type: 'reqUpdateLedger', needs: 'ledger admin', does: 'renames the ledger' },
  { type: 'reqDeleteLedger', needs: 'ledger admin', does: 'removes the ledger' },
  { type: 'reqListLedgersByUser', needs: 'self', does: 'lists ledgers that one may read' },
  { type: 'reqCloudSessionToken', needs: 'member', does: 'gets a cloud token for what one may use' },
  { type: 'reqTokenByResultId', needs: 'nothing', does: 'fetches a token once, by its secret id' },
  { type: 'reqRemoveMember', needs: 'member', does: 'leaves the tenant; an admin removes others' },
  { type: 'reqRejectInvite', needs: 'self', does: 'turns down an invite that names the caller' },
  { type: 'reqShareLedger', needs: 'ledger admin', does: 'gives a user of the tenant a right in a ledger' },
  { type: 'reqUnshareLedger', needs: 'ledger admin', does: 'takes a ledger away from a user' },
  { type: 'reqListShares', needs: 'ledger admin', does: 'lists with whom a ledger is shared' },
  { type: 'reqListAudit', needs: 'tenant admin', does: 'reads who did what in the tenant' },
];
