import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import { next, page } from './page.ts';
import * as shapes from './shapes.ts';

/** Lists every ledger that the caller may read, filtered by tenants when given. */
export const listLedgersByUser = exchange(
  { tenantIds: z.optional(shapes.ids), ...page },
  { userId: z.string(), ledgers: z.array(shapes.ledger), next },
);
