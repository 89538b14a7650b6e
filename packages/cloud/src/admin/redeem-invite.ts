import { isFixpointError } from '@fixpoint/protocol';
import type { Invite } from '@fixpoint/protocol/admin';
import type { InviteTicket } from '../tables/schema.ts';
import { acceptInvite } from './accept-invite.ts';
import { describeInvite } from './describe-invite.ts';
import type { Handler, UserContext } from './handler.ts';
import { requireWaiting, waitingFor } from './waiting-invites.ts';

export const redeemInvite: Handler<'reqRedeemInvite'> = {
  run: async (context, { inviteId }) => {
    if (inviteId === undefined) return { invites: await redeemAll(context) };
    const ticket = await requireWaiting(context, inviteId);
    return { invites: [describeInvite(await acceptInvite(context, ticket))] };
  },
};

/**
 * Accepts all pending invites of the caller, as existing clients do. Skips those that can't be
 * accepted now: they stay pending, or have ended.
 */
async function redeemAll(context: UserContext): Promise<Invite[]> {
  const accepted: Invite[] = [];
  for (const ticket of await waitingFor(context)) {
    const invite = await unlessRefused(acceptInvite(context, ticket));
    if (invite !== undefined) accepted.push(describeInvite(invite));
  }
  return accepted;
}

const REFUSALS = ['LIMIT_REACHED', 'NOT_FOUND', 'INVITE_ENDED'] as const;

const unlessRefused = (work: Promise<InviteTicket>): Promise<InviteTicket | undefined> =>
  work.catch((cause) => {
    if (REFUSALS.some((code) => isFixpointError(cause, code))) return undefined;
    throw cause;
  });
