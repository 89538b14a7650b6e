import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/**
 * A program without a browser of its own asks to be signed in (as RFC 8628 does it): it shows `userCode` and the address of the console's page, and polls with
 * `deviceCode`, which is its secret. Needs no `auth`. An addition of ours.
 */
export const startLogin = exchange(
  {
    /** What the person is shown, such as `fixpoint cli on laptop`. */
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
