import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/** Invites to the tenants that the caller administers, narrowed by ids when they are given. */
export const listInvites = exchange(
  { tenantIds: z.optional(shapes.ids), ledgerIds: z.optional(shapes.ids) },
  { tickets: z.array(shapes.invite) },
);
