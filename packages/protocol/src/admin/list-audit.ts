import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/**
 * Returns the audit log of a tenant, newest first; for its admins. Fixpoint extension. To read the
 * next page, send `next` as `after` (or `before`).
 */
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
