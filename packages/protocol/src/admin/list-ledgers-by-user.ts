import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import { next, page } from './page.ts';
import * as shapes from './shapes.ts';

/** Every ledger that the caller may read, narrowed by tenants when they are given. */
export const listLedgersByUser = exchange(
  { tenantIds: z.optional(shapes.ids), ...page },
  { userId: z.string(), ledgers: z.array(shapes.ledger), next },
);
