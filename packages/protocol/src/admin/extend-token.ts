import * as z from 'zod/mini';
import { exchange } from './exchange.ts';

/**
 * Exchanges a valid cloud token for one that lasts another ten minutes. The new token opens what
 * the old one did, as far as its user still has access. Needs no `auth`: the token is the secret.
 * NOT_SIGNED_IN when it has expired, its user isn't active, their session ended, six hours have
 * passed since the first token, or an hour since it was handed to an application.
 */
export const extendToken = exchange(
  { token: z.string().check(z.minLength(1), z.maxLength(32_768)) },
  { token: z.string() },
);
