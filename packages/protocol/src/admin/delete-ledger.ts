import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/** Deletes a ledger; for admins of its tenant. */
export const deleteLedger = exchange(
  { ledger: z.object({ ledgerId: shapes.id, tenantId: shapes.id }) },
  { ledgerId: z.string() },
);
