/**
 * Limits of a new row. Each insert writes these limits, so a change here applies to later rows in
 * every installation. Column defaults keep the values that their migration set.
 */
import { LIMITS } from '@fixpoint/protocol';

export const TENANT_LIMITS = {
  maxAdminUsers: LIMITS.adminUsersPerTenantMax,
  maxMemberUsers: LIMITS.memberUsersPerTenantMax,
  maxInvites: LIMITS.invitesPerTenantMax,
  maxLedgers: LIMITS.ledgersPerTenantMax,
} as const;

export const LEDGER_LIMITS = { maxShares: LIMITS.sharesPerLedgerMax } as const;
