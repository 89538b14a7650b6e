import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/**
 * Invites a user by id, or whoever proves to own an address, to a tenant; for its admins. With `inviteId` changes a pending invite. LIMIT_REACHED above 10
 * pending invites of the tenant, CONFLICT for somebody who is invited or a member already.
 */
export const inviteUser = exchange(
  {
    ticket: z.object({
      inviteId: z.optional(shapes.id),
      incSendEmailCount: z.optional(z.boolean()),
      query: shapes.query,
      invitedParams: shapes.invitedParams,
    }),
  },
  { invite: shapes.invite },
);
