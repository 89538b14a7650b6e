/**
 * Limits of a new row. They are written with each row, so that changing them here changes what
 * later rows get, in every installation; column defaults stay as their migration set them.
 */
import { LIMITS } from '@fixpoint/protocol';

export const TENANT_LIMITS = {
  maxAdminUsers: LIMITS.adminUsersPerTenantMax,
  maxMemberUsers: LIMITS.memberUsersPerTenantMax,
  maxInvites: LIMITS.invitesPerTenantMax,
  maxLedgers: LIMITS.ledgersPerTenantMax,
} as const;

export const LEDGER_LIMITS = { maxShares: LIMITS.sharesPerLedgerMax } as const;
