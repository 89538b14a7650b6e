/** Lists the audit records of all tenants and of the server itself, for its operators. */
import type { Connection } from '../connection.ts';
import type { AuditRow } from '../schema.ts';

/** The place of a record in the list. */
export interface AuditPlace {
  readonly createdAt: string;
  readonly tenantId: string;
  readonly seq: number;
}

/** Returns records, newest first. */
export async function listAuditOfServer(
  db: Connection,
  { before, limit }: { readonly before: AuditPlace | undefined; readonly limit: number },
): Promise<AuditRow[]> {
  let query = db.selectFrom('AuditRecords').selectAll();
  if (before !== undefined) {
    const { createdAt, tenantId, seq } = before;
    query = query.where((eb) =>
      eb.or([
        eb('createdAt', '<', createdAt),
        eb.and([eb('createdAt', '=', createdAt), eb('tenantId', '<', tenantId)]),
        eb.and([eb('createdAt', '=', createdAt), eb('tenantId', '=', tenantId), eb('seq', '<', seq)]),
      ]),
    );
  }
  return query
    .orderBy('createdAt', 'desc')
    .orderBy('tenantId', 'desc')
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();
}
