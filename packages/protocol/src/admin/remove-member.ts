import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/**
 * Ends a membership, with all rights in the tenant's ledgers and all pending invites to it.
 * Everyone may leave; admins remove others. Fixpoint extension. CONFLICT for the owner, who
 * transfers or deletes the tenant instead, and for the last admin.
 */
export const removeMember = exchange(
  {
    tenantId: shapes.id,
    /** Default: the caller. */
    userId: z.optional(shapes.id),
  },
  { tenantId: z.string(), userId: z.string() },
);
