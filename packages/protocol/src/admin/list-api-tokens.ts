import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import { next, page } from './page.ts';
import * as shapes from './shapes.ts';

/**
 * Lists the tokens of a tenant, for its admins; without `tenantId`, the tokens that sign in the
 * caller's own devices. Fixpoint extension.
 */
export const listApiTokens = exchange(
  { tenantId: z.optional(shapes.id), ...page },
  { apiTokens: z.array(shapes.apiToken), next },
);
