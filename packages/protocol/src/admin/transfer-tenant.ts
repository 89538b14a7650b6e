import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/**
 * Hands a tenant over to another admin of it; for its owner. An addition of ours. FORBIDDEN for admins who don't own the tenant. CONFLICT unless the new owner
 * is an active admin of it. LIMIT_REACHED when the new owner has no room for another tenant.
 */
export const transferTenant = exchange(
  {
    tenantId: shapes.id,
    /** The new owner. */
    userId: shapes.id,
  },
  { tenant: shapes.outTenant },
);
