import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/** Takes a ledger away from a user who is no admin of the tenant; for its admins. An addition of ours. A guest who has nothing left leaves the tenant. */
export const unshareLedger = exchange(
  { ledger: z.object({ ledgerId: shapes.id, tenantId: shapes.id }), userId: shapes.id },
  { ledgerId: z.string(), userId: z.string() },
);
