import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/**
 * Accepts the caller's pending invites: those addressed to their id or to their verified email.
 * Invites that can't be accepted now are left out of the answer.
 * With `inviteId` (Fixpoint extension), accepts that invite or fails: NOT_FOUND for an unknown
 * invite or one for somebody else, EMAIL_UNVERIFIED, INVITE_EXPIRED, INVITE_ENDED, LIMIT_REACHED
 * when the tenant or ledger is full.
 */
export const redeemInvite = exchange(
  { inviteId: z.optional(shapes.id) },
  { invites: z.array(shapes.invite) },
);
