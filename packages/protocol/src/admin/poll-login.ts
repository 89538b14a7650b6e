import * as z from 'zod/mini';
import { exchange } from './exchange.ts';

/** What became of it; when it is approved, the token, once. Needs no `auth`: `deviceCode` is the secret. An addition of ours. RATE_LIMITED when it is asked too often. */
export const pollLogin = exchange(
  { deviceCode: z.string().check(z.minLength(8), z.maxLength(128)) },
  { status: z.enum(['pending', 'approved', 'denied', 'expired']), token: z.optional(z.string()) },
);
