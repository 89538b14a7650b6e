import * as z from 'zod/mini';
import { exchange } from './exchange.ts';

/**
 * Exchanges a valid cloud token for one of another ten minutes. The next token opens what the first one did, as far as its user may still use it.
 * Needs no `auth`: the token is the secret. NOT_SIGNED_IN when it has expired, its user isn't active, their session ended, six hours after the first
 * token, or an hour after it was handed to an application.
 */
export const extendToken = exchange(
  { token: z.string().check(z.minLength(1), z.maxLength(32_768)) },
  { token: z.string() },
);
