import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/** Renames a ledger; for admins of its tenant. CONFLICT for a name that the tenant already uses. */
export const updateLedger = exchange(
  { ledger: z.object({ ledgerId: shapes.id, tenantId: shapes.id, name: shapes.ledgerName }) },
  { ledger: shapes.ledger },
);
