import { getApplicationSession } from '../tables/applications/application-session-rows.ts';
import type { Connection } from '../tables/connection.ts';
import { timestamp } from '../tables/new-row.ts';
import { getApiToken } from '../tables/tenants/api-token-rows.ts';
import { isTenantAdmin, type LedgerAccess, readStanding } from './standing.ts';

export type { LedgerAccess } from './standing.ts';

/** Maximum milliseconds for which a revoked right still works. */
const CACHE_MS = 5000;
/** Maximum number of cached answers. */
const ENTRIES_MAX = 10_000;

export interface LedgerRights {
  /**
   * Returns the access of a user to a ledger. The gateway calls this for every message about a
   * ledger.
   * @param apiToken the id of the API token, or of the session with an application, that
   * authenticates the user. When it expires or is revoked, access ends
   * @param ageMs maximum age of the answer in milliseconds: at most 5000, which is the default
   */
  accessTo(
    userId: string,
    tenantId: string,
    ledgerId: string,
    apiToken?: string,
    ageMs?: number,
  ): Promise<LedgerAccess>;
  /** Clears the cache after a possible change, so that later calls look up the rights again. */
  forget(): void;
}

export function createLedgerRights(
  db: Connection,
  now: () => number,
  entriesMax = ENTRIES_MAX,
): LedgerRights {
  const known = new Map<string, { readonly at: number; readonly access: Promise<LedgerAccess> }>();
  return {
    forget: () => known.clear(),
    accessTo: (userId, tenantId, ledgerId, apiToken, ageMs = CACHE_MS) => {
      const key = JSON.stringify([userId, tenantId, ledgerId, apiToken]);
      const cached = known.get(key);
      const age = cached === undefined ? Number.POSITIVE_INFINITY : now() - cached.at;
      if (cached !== undefined && age >= 0 && age < Math.min(ageMs, CACHE_MS)) return cached.access;
      if (known.size >= entriesMax) known.clear();
      const access = lookUp(db, now, [userId, tenantId, ledgerId, apiToken]);
      known.set(key, { at: now(), access });
      access.catch(() => known.get(key)?.access === access && known.delete(key));
      return access;
    },
  };
}

async function lookUp(
  db: Connection,
  now: () => number,
  [userId, tenantId, ledgerId, apiToken]: readonly [string, string, string, string | undefined],
): Promise<LedgerAccess> {
  if (apiToken !== undefined) {
    const row = (await getApiToken(db, apiToken)) ?? (await sessionIn(db, apiToken, tenantId));
    if (row === undefined || row.expiresAt <= timestamp(now())) return 'none';
    // The back end of an application got a token for one of its users, as an admin of the tenant.
    if (row.userId !== userId && !(await isTenantAdmin(db, row.userId, tenantId))) return 'none';
  }
  return (await readStanding(db, userId, tenantId, ledgerId))?.access ?? 'none';
}

/** Returns a session with an application, which never opens ledgers of other tenants. */
async function sessionIn(db: Connection, sessionId: string, tenantId: string) {
  const row = await getApplicationSession(db, sessionId);
  return row?.tenantId === tenantId ? row : undefined;
}
