import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/** Approves or denies signing the program in as the caller. Fixpoint extension. */
export const decideLogin = exchange(
  { userCode: shapes.userCode, approve: z.boolean() },
  { status: z.enum(['approved', 'denied']) },
);
