import type { UserTenant } from '@fixpoint/protocol/admin';

/**
 * Returns the name that the user gave the tenant, else the tenant's own name, else its id (spec
 * §2).
 */
export const tenantLabel = ({ user, tenant, tenantId }: UserTenant): string =>
  user.name || tenant.name || tenantId;
