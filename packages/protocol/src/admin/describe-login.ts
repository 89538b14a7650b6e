import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/** Who asks to be signed in under a code: what the caller is shown before he decides. An addition of ours. NOT_FOUND for a code that is wrong, was used or is over. */
export const describeLogin = exchange(
  { userCode: shapes.userCode },
  { client: z.string(), createdAt: z.string(), from: z.optional(z.string()) },
);
