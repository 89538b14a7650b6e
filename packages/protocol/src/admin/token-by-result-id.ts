import * as z from 'zod/mini';
import { exchange } from './exchange.ts';

/** Fetches a token that was left under `resultId` in the last 15 minutes, once. Needs no `auth`: the id is the secret. Polled in a tight loop. */
export const tokenByResultId = exchange(
  { resultId: z.string().check(z.maxLength(128)) },
  { resultId: z.string(), status: z.enum(['found', 'not-found']), token: z.optional(z.string()) },
);
