import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import { next, page } from './page.ts';
import * as shapes from './shapes.ts';

/** The tenants that the caller belongs to; where he is admin, with their members. */
export const listTenantsByUser = exchange(page, {
  userId: z.string(),
  authUserId: z.optional(z.string()),
  tenants: z.array(shapes.userTenant),
  next,
});
