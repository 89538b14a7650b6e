import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/**
 * Ends a user's share of a ledger; for admins of the tenant. Fixpoint extension. The user can't be
 * an admin of the tenant (CONFLICT). A guest without any other share leaves the tenant.
 */
export const unshareLedger = exchange(
  { ledger: z.object({ ledgerId: shapes.id, tenantId: shapes.id }), userId: shapes.id },
  { ledgerId: z.string(), userId: z.string() },
);
