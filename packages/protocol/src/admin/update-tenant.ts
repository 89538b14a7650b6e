import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/** Renames a tenant; for its admins. They can't change the tenant's limits. */
export const updateTenant = exchange(
  { tenant: z.object({ tenantId: shapes.id, name: shapes.name }) },
  { tenant: shapes.outTenant },
);
