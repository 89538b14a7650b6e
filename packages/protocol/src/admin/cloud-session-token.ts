import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/** Random text that an application makes and keeps to itself until it fetches its token. */
export const resultId = z.string().check(z.minLength(8), z.maxLength(128));

/**
 * A token for the storage gateway, good for an hour. What is selected must be the caller's (NOT_FOUND); by default it is the first tenant and ledger.
 * Under `resultId` whoever knows that can fetch the token once (`reqTokenByResultId`).
 */
export const cloudSessionToken = exchange(
  {
    selected: z.optional(z.object({ tenant: z.optional(shapes.id), ledger: z.optional(shapes.id) })),
    resultId: z.optional(resultId),
  },
  { token: z.string() },
);
