import { listAuditOf } from '../tables/tenants/audit-records.ts';
import type { Handler } from './handler.ts';

const PAGE = 100;

export const listAudit: Handler<'reqListAudit'> = {
  target: ({ tenantId }) => ({ tenantId }),
  run: async ({ db }, { tenantId, after, before = after, limit = PAGE }) => {
    const rows = await listAuditOf(db, tenantId, { before, limit: limit + 1 });
    const records = rows.slice(0, limit).map(({ ledgerId, origin, createdAt, seq, ...row }) => ({
      ...row,
      seq: Number(seq),
      at: createdAt,
      ...(ledgerId !== null && { ledgerId }),
      ...(origin !== null && { from: origin }),
    }));
    const last = records.at(-1);
    return { records, ...(rows.length > limit && last && { next: last.seq }) };
  },
};
