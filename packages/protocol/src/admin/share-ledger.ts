import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/**
 * Grants a user of the tenant a right in one ledger, or changes it; for admins of the tenant.
 * Fixpoint extension. LIMIT_REACHED above the ledger's `maxShares` (5, spec §9), NOT_FOUND for
 * somebody outside the tenant: invite them instead.
 */
export const shareLedger = exchange(
  {
    ledger: z.object({ ledgerId: shapes.id, tenantId: shapes.id }),
    userId: shapes.id,
    /** Default: `read`. */
    right: z.optional(shapes.right),
  },
  { ledgerId: z.string(), share: shapes.share },
);
