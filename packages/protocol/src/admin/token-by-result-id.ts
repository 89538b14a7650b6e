import * as z from 'zod/mini';
import { exchange } from './exchange.ts';

/**
 * Fetches a token that was stored under `resultId` in the last 15 minutes, once; in the last minute
 * for the short ids of existing clients. Needs no `auth`: the id is the secret. Existing clients
 * poll it in a tight loop, which isn't rate limited; RATE_LIMITED for a network that tries many
 * ids.
 */
export const tokenByResultId = exchange(
  { resultId: z.string().check(z.maxLength(128)) },
  { resultId: z.string(), status: z.enum(['found', 'not-found']), token: z.optional(z.string()) },
);
