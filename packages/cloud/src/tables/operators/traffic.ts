/**
 * Counts the traffic of tenants by day. A process sums in memory and adds its sums to the tables
 * regularly, so that downloads don't wait for a write. A killed process loses its last sums.
 */
import type { Connection, Db } from '../connection.ts';
import { inTransaction } from '../connection.ts';
import { timestamp } from '../new-row.ts';
import { usageOf } from './object-sizes.ts';

type Direction = 'up' | 'down';

export interface Traffic {
  /** Counts the transfer of an object, which is also a request. */
  add(tenantId: string, direction: Direction, bytes: number): void;
  /** Counts a request without objects. */
  count(tenantId: string): void;
  /** Adds the sums to the tables. */
  flush(): Promise<void>;
}

interface Sums {
  readonly tenantId: string;
  readonly day: string;
  up: number;
  down: number;
  requests: number;
}

const DAY_MS = 86_400_000;
const dayOf = (at: string): string => at.slice(0, 10);

export function createTraffic(db: Db, now: () => number): Traffic {
  let sums = new Map<string, Sums>();
  const sumsOf = (tenantId: string): Sums => {
    const day = dayOf(timestamp(now()));
    const key = `${tenantId} ${day}`;
    const known = sums.get(key) ?? { tenantId, day, up: 0, down: 0, requests: 0 };
    sums.set(key, known);
    return known;
  };
  return {
    add: (tenantId, direction, bytes) => {
      const known = sumsOf(tenantId);
      known[direction] += bytes;
      known.requests += 1;
    },
    count: (tenantId) => {
      sumsOf(tenantId).requests += 1;
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
        for (const row of rows) {
          const key = `${row.tenantId} ${row.day}`;
          const later = sums.get(key);
          sums.set(key, later === undefined ? row : sumOf(row, later));
        }
        throw cause;
      }
    },
  };
}

const sumOf = (a: Sums, b: Sums): Sums => ({
  ...a,
  up: a.up + b.up,
  down: a.down + b.down,
  requests: a.requests + b.requests,
});

async function addTraffic(tx: Connection, { tenantId, day, up, down, requests }: Sums): Promise<void> {
  const { bytes: stored } = await usageOf(tx, tenantId);
  await tx
    .insertInto('TenantTraffic')
    .values({ tenantId, day, uploaded: up, downloaded: down, requests, stored })
    .onConflict((conflict) =>
      conflict.columns(['tenantId', 'day']).doUpdateSet((eb) => ({
        uploaded: eb('TenantTraffic.uploaded', '+', eb.ref('excluded.uploaded')),
        downloaded: eb('TenantTraffic.downloaded', '+', eb.ref('excluded.downloaded')),
        requests: eb('TenantTraffic.requests', '+', eb.ref('excluded.requests')),
        stored: eb.ref('excluded.stored'),
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

/** The usage of a tenant on one day. */
interface DayOfUsage extends DayOfTraffic {
  readonly requests: number;
  /** The stored bytes at the end of the day; undefined before they were first counted. */
  readonly stored: number | undefined;
}

/**
 * Returns what a tenant used on each day from one time to another, oldest day first. Days without
 * requests have the storage of the day before; the last day has the current storage.
 */
export async function usageByDay(
  db: Connection,
  tenantId: string,
  since: number,
  until: number,
): Promise<readonly DayOfUsage[]> {
  const first = dayOf(timestamp(since));
  const ofTenant = db.selectFrom('TenantTraffic').selectAll().where('tenantId', '=', tenantId);
  const before = await ofTenant.where('day', '<', first).orderBy('day', 'desc').limit(1).executeTakeFirst();
  const rows = await ofTenant.where('day', '>=', first).execute();
  const byDay = new Map(rows.map((row) => [row.day, row]));
  const last = dayOf(timestamp(until));
  const days: DayOfUsage[] = [];
  let stored = before?.stored ?? null;
  for (let at = Date.parse(first); at <= Date.parse(last); at += DAY_MS) {
    const day = dayOf(timestamp(at));
    const row = byDay.get(day);
    stored = row?.stored ?? stored;
    days.push({
      day,
      uploaded: Number(row?.uploaded ?? 0),
      downloaded: Number(row?.downloaded ?? 0),
      requests: Number(row?.requests ?? 0),
      stored:
        day === last ? (await usageOf(db, tenantId)).bytes : stored === null ? undefined : Number(stored),
    });
  }
  return days;
}

/** Removes traffic before a time. */
export async function removeTrafficBefore(db: Connection, oldest: string): Promise<void> {
  await db.deleteFrom('TenantTraffic').where('day', '<', dayOf(oldest)).execute();
}
