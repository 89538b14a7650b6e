import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import { next, page } from './page.ts';
import * as shapes from './shapes.ts';

/** Lists the shares of a ledger and its invites; for admins of the tenant. Fixpoint extension. */
export const listShares = exchange(
  {
    ledger: z.object({ ledgerId: shapes.id, tenantId: shapes.id }),
    /**
     * Includes ended shares, marked by `status`. They tell a member whose share was ended from a
     * member who never had one.
     */
    ended: z.optional(z.boolean()),
    ...page,
  },
  {
    ledgerId: z.string(),
    maxShares: z.number(),
    shares: z.array(shapes.share),
    /** Sent with the first page only. */
    tickets: z.array(shapes.invite),
    next,
  },
);
