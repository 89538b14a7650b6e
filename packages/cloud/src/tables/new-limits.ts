/**
 * Limits of a new row. Each insert writes them, so changing them here changes later rows in every
 * installation. Column defaults stay as their migration set them.
 */
import { LIMITS } from '@fixpoint/protocol';

export const TENANT_LIMITS = {
  maxAdminUsers: LIMITS.adminUsersPerTenantMax,
  maxMemberUsers: LIMITS.memberUsersPerTenantMax,
  maxInvites: LIMITS.invitesPerTenantMax,
  maxLedgers: LIMITS.ledgersPerTenantMax,
} as const;

export const LEDGER_LIMITS = { maxShares: LIMITS.sharesPerLedgerMax } as const;
