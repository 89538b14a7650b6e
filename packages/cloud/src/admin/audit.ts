/**
 * Records each admin action that changed something. The record and the change are in one
 * transaction, so neither is stored without the other.
 */
import type { RequestType } from '@fixpoint/protocol/admin';
import type { Target } from '../rights/authorize.ts';
import { timestamp } from '../tables/new-row.ts';
import { insertAudit } from '../tables/tenants/audit-records.ts';
import type { UserContext } from './handler.ts';

/**
 * Adds an audit record.
 * @param detail ids, names, roles and addresses; never contains `auth`, a token, or a secret id
 */
export async function recordAction(
  {
    db,
    caller,
    now,
    from,
  }: Pick<UserContext, 'db' | 'now' | 'from'> & {
    readonly caller: Pick<UserContext['caller'], 'userId'>;
  },
  action: RequestType,
  { tenantId, ledgerId }: Target,
  detail: object,
): Promise<void> {
  await insertAudit(db, {
    tenantId,
    ledgerId: ledgerId ?? null,
    userId: caller.userId,
    action,
    detail: JSON.stringify(detail),
    origin: from ?? null,
    createdAt: timestamp(now),
  });
}
