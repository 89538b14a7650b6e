/**
 * Limits of a new row. Each insert writes them, so a changed setting applies to later rows in every
 * installation, and operators can change the limits of a row. Column defaults keep the values that
 * their migration set.
 */
import { LIMITS } from '@fixpoint/protocol';

export interface NewLimits {
  /** Tenants that a user may own. */
  readonly maxTenants: number;
  readonly maxAdminUsers: number;
  readonly maxMemberUsers: number;
  /** Pending invites of a tenant. */
  readonly maxInvites: number;
  readonly maxLedgers: number;
  /** Shares of a ledger, pending invites included. */
  readonly maxShares: number;
  /** Byte quota of a tenant; undefined for none. */
  readonly maxBytes: number | undefined;
}

/** The limits of spec §9, without a byte quota. */
export const NEW_LIMITS: NewLimits = {
  maxTenants: LIMITS.tenantsPerUserMax,
  maxAdminUsers: LIMITS.adminUsersPerTenantMax,
  maxMemberUsers: LIMITS.memberUsersPerTenantMax,
  maxInvites: LIMITS.invitesPerTenantMax,
  maxLedgers: LIMITS.ledgersPerTenantMax,
  maxShares: LIMITS.sharesPerLedgerMax,
  maxBytes: undefined,
};
