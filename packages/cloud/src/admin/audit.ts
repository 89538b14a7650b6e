/**
 * Records each admin action that changed something, in the same transaction as the change: neither
 * is stored without the other.
 */
import type { RequestType } from '@fixpoint/protocol/admin';
import type { Target } from '../rights/authorize.ts';
import { timestamp } from '../tables/new-row.ts';
import { insertAudit } from '../tables/tenants/audit-records.ts';
import type { UserContext } from './handler.ts';

/**
 * Adds an audit record.
 * @param detail ids, names, roles, addresses; never `auth`, a token, or an id that is a secret
 */
export async function recordAction(
  { db, caller, now, from }: UserContext,
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
