import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/**
 * Creates a token for programs, which acts as the caller in one tenant; for its admins. Fixpoint
 * extension. `token` is returned only here, and used as `auth: {type: 'api-token', token}`.
 * LIMIT_REACHED above 20 tokens in a tenant.
 */
export const createApiToken = exchange(
  {
    tenantId: shapes.id,
    name: shapes.name,
    /** Default: `read`. */
    right: z.optional(shapes.tokenRight),
    /** Default: 90. */
    days: z.optional(z.number().check(z.int(), z.minimum(1), z.maximum(366))),
  },
  { apiToken: shapes.apiToken, token: z.string() },
);
