import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/**
 * Returns which program asks to sign in with a code, so the caller can decide. Fixpoint extension.
 * NOT_FOUND for a code that is wrong, used or expired.
 */
export const describeLogin = exchange(
  { userCode: shapes.userCode },
  { client: z.string(), createdAt: z.string(), from: z.optional(z.string()) },
);
