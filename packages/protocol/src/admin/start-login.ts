import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/**
 * Starts the sign-in of a program without a browser, as in RFC 8628. The program shows `userCode`
 * and the address of the console's page, and polls with `deviceCode`, which is its secret. Needs no
 * `auth`. Fixpoint extension.
 */
export const startLogin = exchange(
  {
    /** What the user sees, such as `fixpoint cli on laptop`. */
    client: shapes.name,
  },
  {
    deviceCode: z.string(),
    userCode: z.string(),
    verificationUrl: z.string(),
    expiresInSec: z.number(),
    intervalSec: z.number(),
  },
);
