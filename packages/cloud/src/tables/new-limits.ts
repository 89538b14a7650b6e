/**
 * Limits that a new row gets. They are written with each row, so that changing them here changes what
 * later rows get, in every installation; the defaults of columns stay as their migration made them.
 */
import { LIMITS } from '@fixpoint/protocol';

export const TENANT_LIMITS = {
  maxAdminUsers: LIMITS.adminUsersPerTenantMax,
  maxMemberUsers: LIMITS.memberUsersPerTenantMax,
  maxInvites: LIMITS.invitesPerTenantMax,
  maxLedgers: LIMITS.ledgersPerTenantMax,
} as const;

export const LEDGER_LIMITS = { maxShares: LIMITS.sharesPerLedgerMax } as const;
