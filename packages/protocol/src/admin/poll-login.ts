import * as z from 'zod/mini';
import { exchange } from './exchange.ts';

/**
 * Returns the state of a sign-in; once it is approved, also the token, a single time. Needs no
 * `auth`: `deviceCode` is the secret. Fixpoint extension. RATE_LIMITED when polled too often.
 */
export const pollLogin = exchange(
  { deviceCode: z.string().check(z.minLength(8), z.maxLength(128)) },
  { status: z.enum(['pending', 'approved', 'denied', 'expired']), token: z.optional(z.string()) },
);
