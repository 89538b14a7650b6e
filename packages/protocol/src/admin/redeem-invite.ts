import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/**
 * Accepts the invites that wait for the caller: those that name their id, and those that name their verified address. Invites that can't be accepted now are
 * left out of the answer. With `inviteId`, an addition of ours, accepts that invite or says why not: NOT_FOUND for an invite that is unknown or names somebody
 * else, EMAIL_UNVERIFIED, INVITE_EXPIRED, INVITE_ENDED, LIMIT_REACHED when the tenant or ledger is full.
 */
export const redeemInvite = exchange(
  { inviteId: z.optional(shapes.id) },
  { invites: z.array(shapes.invite) },
);
