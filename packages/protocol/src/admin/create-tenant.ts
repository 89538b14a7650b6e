import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/**
 * Creates a tenant that the caller owns and administers. LIMIT_REACHED above the caller's
 * `maxTenants` (5, spec §9).
 */
export const createTenant = exchange(
  { tenant: z.object({ name: shapes.name }) },
  { tenant: shapes.outTenant },
);
