import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/** Names an application, or a stage of it such as `prod`. */
const label = z
  .string()
  .check(z.trim(), z.regex(/^[A-Za-z0-9._@:-]{1,100}$/, 'letters, digits and . _ @ : -'));

/**
 * A token for the ledger of an application, which is made when there is none. It is the one that is bound to (`appId`, `env`) and that the caller may read; else
 * `ledger`, else a new one in `tenant` or the caller's default tenant, whose admin he must be. From then on it is bound.
 * NOT_FOUND for a tenant or ledger that is not the caller's; INVITE_WAITS when an invite to it waits for the caller, who accepts it first; LIMIT_REACHED above ten bindings of an application in a tenant.
 */
export const ensureCloudToken = exchange(
  {
    appId: label,
    /** Default: `prod`. */
    env: z.optional(label),
    tenant: z.optional(shapes.id),
    ledger: z.optional(shapes.id),
  },
  {
    cloudToken: z.string(),
    appId: z.string(),
    tenant: z.string(),
    ledger: z.string(),
    expiresInSec: z.number(),
    expiresDate: z.string(),
    claims: z.looseObject({ userId: z.string() }),
  },
);
