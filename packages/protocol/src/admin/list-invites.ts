import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import { next, page } from './page.ts';
import * as shapes from './shapes.ts';

/**
 * Invites to the tenants that the caller administers, narrowed by ids when they are given. With `toMe` those that wait for the caller instead, with what they
 * are to and who invites: an addition of ours.
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
