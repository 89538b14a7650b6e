import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import { next, page } from './page.ts';
import * as shapes from './shapes.ts';

/** With whom a ledger is shared, and its invites; for admins of the tenant. An addition of ours. */
export const listShares = exchange(
  {
    ledger: z.object({ ledgerId: shapes.id, tenantId: shapes.id }),
    /** Also those that were ended, by their `status`: a member who was shut out is none who never had a row of his own. */
    ended: z.optional(z.boolean()),
    ...page,
  },
  {
    ledgerId: z.string(),
    maxShares: z.number(),
    shares: z.array(shapes.share),
    /** Only with the first page. */
    tickets: z.array(shapes.invite),
    next,
  },
);
