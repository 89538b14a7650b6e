import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/**
 * Changes a membership. Members change their own name and default; admins change roles and names. CONFLICT for the owner and for the last admin, who stay
 * admins; LIMIT_REACHED when the tenant has no place for one more of the role.
 */
export const updateUserTenant = exchange(
  {
    tenantId: shapes.id,
    /** Default: the caller. */
    userId: z.optional(shapes.id),
    role: z.optional(shapes.role),
    /** The tenant that a screen opens first; setting it clears it elsewhere. */
    default: z.optional(z.boolean()),
    name: z.optional(shapes.name),
  },
  {
    tenantId: z.string(),
    userId: z.string(),
    role: shapes.role,
    default: z.boolean(),
    name: z.optional(z.string()),
  },
);
