import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/**
 * Ends a membership, with all rights in the tenant's ledgers. Everybody may leave; admins remove others. An addition of ours. CONFLICT for the last admin, who
 * deletes the tenant or makes somebody else an admin first.
 */
export const removeMember = exchange(
  {
    tenantId: shapes.id,
    /** Default: the caller. */
    userId: z.optional(shapes.id),
  },
  { tenantId: z.string(), userId: z.string() },
);
