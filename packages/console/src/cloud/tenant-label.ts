import type { UserTenant } from '@fixpoint/protocol/admin';

/** Returns the user's name in the tenant, else the tenant's, else its id (spec §2). */
export const tenantLabel = ({ user, tenant, tenantId }: UserTenant): string =>
  user.name || tenant.name || tenantId;
