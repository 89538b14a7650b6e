import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/** Signs the program in as the caller, or refuses it. An addition of ours. */
export const decideLogin = exchange(
  { userCode: shapes.userCode, approve: z.boolean() },
  { status: z.enum(['approved', 'denied']) },
);
