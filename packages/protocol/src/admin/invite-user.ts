import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/**
 * Invites a user to a tenant or ledger, by id or by an email address that the invitee must verify;
 * for admins. With `inviteId`, updates a pending invite. LIMIT_REACHED above 10 pending invites of
 * the tenant, CONFLICT for somebody who is already invited or a member.
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
