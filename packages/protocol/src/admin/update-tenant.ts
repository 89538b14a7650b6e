import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/** Renames a tenant; for its admins. Limits can't be changed by those whom they limit. */
export const updateTenant = exchange(
  { tenant: z.object({ tenantId: shapes.id, name: shapes.name }) },
  { tenant: shapes.outTenant },
);
