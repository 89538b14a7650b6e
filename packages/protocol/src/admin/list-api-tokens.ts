import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import { next, page } from './page.ts';
import * as shapes from './shapes.ts';

/** The tokens of a tenant, for its admins; without `tenantId` those by which the caller's own devices are signed in. An addition of ours. */
export const listApiTokens = exchange(
  { tenantId: z.optional(shapes.id), ...page },
  { apiTokens: z.array(shapes.apiToken), next },
);
