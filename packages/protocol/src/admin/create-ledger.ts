import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/**
 * Creates a ledger in a tenant; for its admins. LIMIT_REACHED above the tenant's `maxLedgers` (5,
 * spec §9), CONFLICT for a name that the tenant already uses.
 */
export const createLedger = exchange(
  { ledger: z.object({ tenantId: shapes.id, name: shapes.ledgerName, kind: z.optional(shapes.ledgerKind) }) },
  { ledger: shapes.ledger },
);
