import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/** Name of an application, or of one of its environments, such as `prod`. */
const label = z
  .string()
  .check(z.trim(), z.regex(/^[A-Za-z0-9._@:-]{1,100}$/, 'letters, digits and . _ @ : -'));

/**
 * Returns a token for an application's ledger, which is created when there is none. Picks the
 * ledger that is bound to (`appId`, `env`) and that the caller may read; otherwise `ledger`;
 * otherwise a new one in `tenant` or the caller's default tenant. When the caller is an admin of
 * the tenant, as a new ledger requires, the ledger is bound from then on.
 * NOT_FOUND for a tenant or ledger that the caller can't use; INVITE_WAITS when the caller has a
 * pending invite to it, which they must accept first; LIMIT_REACHED above ten bindings of an
 * application in a tenant.
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
