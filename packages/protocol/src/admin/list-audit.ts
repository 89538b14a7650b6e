import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/** What was done in a tenant, newest first; for its admins. An addition of ours. `next`, when there is more, is sent as `after` (or `before`) for the page that follows. */
export const listAudit = exchange(
  {
    tenantId: shapes.id,
    before: z.optional(z.number().check(z.int(), z.positive())),
    after: z.optional(z.number().check(z.int(), z.positive())),
    /** Default: 100. */
    limit: z.optional(z.number().check(z.int(), z.minimum(1), z.maximum(200))),
  },
  { records: z.array(shapes.auditRecord), next: z.optional(z.number()) },
);
