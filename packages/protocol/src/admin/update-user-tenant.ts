import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/**
 * Updates a membership. Members change their own name and default; admins change roles and names.
 * CONFLICT for the owner and for the last admin, who stay admins; LIMIT_REACHED when the tenant has
 * no room for another user with that role.
 */
export const updateUserTenant = exchange(
  {
    tenantId: shapes.id,
    /** Default: the caller. */
    userId: z.optional(shapes.id),
    role: z.optional(shapes.role),
    /** Marks the tenant that a screen opens first. Setting it clears the mark on other tenants. */
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
