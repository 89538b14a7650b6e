import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/**
 * Finds users by a complete address or id; parts of one match nobody. RATE_LIMITED above 30 a
 * minute.
 */
export const findUser = exchange({ query: shapes.query }, { results: z.array(shapes.foundUser) });
