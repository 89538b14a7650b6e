import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import { next, page } from './page.ts';
import * as shapes from './shapes.ts';

/** Lists the caller's tenants, with their members where the caller is an admin. */
export const listTenantsByUser = exchange(page, {
  userId: z.string(),
  authUserId: z.optional(z.string()),
  tenants: z.array(shapes.userTenant),
  next,
});
