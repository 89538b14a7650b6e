/**
 * Counts the traffic of tenants by day. A process sums in memory and adds its sums to the tables
 * regularly, so that downloads don't wait for a write. A killed process loses its last sums.
 */
import type { Connection, Db } from '../connection.ts';
import { inTransaction } from '../connection.ts';
import { timestamp } from '../new-row.ts';

type Direction = 'up' | 'down';

export interface Traffic {
  add(tenantId: string, direction: Direction, bytes: number): void;
  /** Adds the sums to the tables. */
  flush(): Promise<void>;
}

interface Sums {
  readonly tenantId: string;
  readonly day: string;
  up: number;
  down: number;
}

const dayOf = (at: string): string => at.slice(0, 10);

export function createTraffic(db: Db, now: () => number): Traffic {
  let sums = new Map<string, Sums>();
  const sumsOf = (tenantId: string): Sums => {
    const day = dayOf(timestamp(now()));
    const key = `${tenantId} ${day}`;
    const known = sums.get(key) ?? { tenantId, day, up: 0, down: 0 };
    sums.set(key, known);
    return known;
  };
  return {
    add: (tenantId, direction, bytes) => {
      sumsOf(tenantId)[direction] += bytes;
    },
    flush: async () => {
      if (sums.size === 0) return;
      const flushed = sums;
      sums = new Map();
      const rows = [...flushed.values()].sort((a, b) => (a.tenantId < b.tenantId ? -1 : 1));
      try {
        await inTransaction(db, async (tx) => {
          for (const row of rows) await addTraffic(tx, row);
        });
      } catch (cause) {
        // Keeps the sums for the next flush.
        for (const { tenantId, day, up, down } of rows) {
          const key = `${tenantId} ${day}`;
          const later = sums.get(key) ?? { tenantId, day, up: 0, down: 0 };
          sums.set(key, { ...later, up: later.up + up, down: later.down + down });
        }
        throw cause;
      }
    },
  };
}

async function addTraffic(tx: Connection, { tenantId, day, up, down }: Sums): Promise<void> {
  await tx
    .insertInto('TenantTraffic')
    .values({ tenantId, day, uploaded: up, downloaded: down })
    .onConflict((conflict) =>
      conflict.columns(['tenantId', 'day']).doUpdateSet((eb) => ({
        uploaded: eb('TenantTraffic.uploaded', '+', eb.ref('excluded.uploaded')),
        downloaded: eb('TenantTraffic.downloaded', '+', eb.ref('excluded.downloaded')),
      })),
    )
    .execute();
}

/** The traffic of a tenant on one day. */
type DayOfTraffic = { readonly day: string; readonly uploaded: number; readonly downloaded: number };

/** Returns the traffic of these tenants since a time, oldest day first. */
export async function trafficOf(
  db: Connection,
  tenantIds: readonly string[],
  since: string,
): Promise<ReadonlyMap<string, readonly DayOfTraffic[]>> {
  const found = new Map<string, DayOfTraffic[]>();
  if (tenantIds.length === 0) return found;
  const rows = await db
    .selectFrom('TenantTraffic')
    .selectAll()
    .where('tenantId', 'in', tenantIds)
    .where('day', '>=', dayOf(since))
    .orderBy('day')
    .execute();
  for (const { tenantId, day, uploaded, downloaded } of rows) {
    const days = found.get(tenantId) ?? [];
    days.push({ day, uploaded: Number(uploaded), downloaded: Number(downloaded) });
    found.set(tenantId, days);
  }
  return found;
}

/** Removes traffic before a time. */
export async function removeTrafficBefore(db: Connection, oldest: string): Promise<void> {
  await db.deleteFrom('TenantTraffic').where('day', '<', dayOf(oldest)).execute();
}
