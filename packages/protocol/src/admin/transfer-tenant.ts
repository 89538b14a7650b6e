import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/**
 * Transfers a tenant to another of its admins; for its owner. Fixpoint extension. FORBIDDEN for
 * admins who don't own the tenant. CONFLICT unless the new owner is an active admin of it.
 * LIMIT_REACHED when the new owner already owns the maximum number of tenants.
 */
export const transferTenant = exchange(
  {
    tenantId: shapes.id,
    /** The new owner. */
    userId: shapes.id,
  },
  { tenant: shapes.outTenant },
);
