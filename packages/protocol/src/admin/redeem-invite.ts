import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/**
 * Accepts the invites that wait for the caller: those that name his id, and those that name his address if it is verified. With `inviteId` only that one: an
 * addition of ours.
 */
export const redeemInvite = exchange(
  { inviteId: z.optional(shapes.id) },
  { invites: z.array(shapes.invite) },
);
