import { type LedgerAccess, readStanding } from '../rights/standing.ts';
import type { Db } from '../tables/connection.ts';

/** Returns the access that the gateway grants now. */
export async function accessTo(
  db: Db,
  userId: string,
  tenantId: string,
  ledgerId: string,
): Promise<LedgerAccess> {
  return (await readStanding(db, userId, tenantId, ledgerId))?.access ?? 'none';
}
