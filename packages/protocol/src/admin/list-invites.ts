import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import { next, page } from './page.ts';
import * as shapes from './shapes.ts';

/**
 * Lists invites to the tenants that the caller administers, filtered by ids when given. With `toMe`
 * (Fixpoint extension), lists the caller's own pending invites instead, with the name of the tenant
 * or ledger and the inviter.
 */
export const listInvites = exchange(
  {
    tenantIds: z.optional(shapes.ids),
    ledgerIds: z.optional(shapes.ids),
    toMe: z.optional(z.boolean()),
    ...page,
  },
  { tickets: z.array(shapes.invite), next },
);
