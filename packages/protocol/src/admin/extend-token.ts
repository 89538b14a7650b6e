import * as z from 'zod/mini';
import { exchange } from './exchange.ts';

/**
 * A cloud token that is still good is exchanged for one of another hour, with what its user may use by now. Needs no `auth`: the token is the secret.
 * NOT_SIGNED_IN for one that is over, whose user is not active, or six hours after the first one was made for somebody who signed in.
 */
export const extendToken = exchange(
  { token: z.string().check(z.minLength(1), z.maxLength(32_768)) },
  { token: z.string() },
);
