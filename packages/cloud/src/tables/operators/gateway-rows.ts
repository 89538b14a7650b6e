/**
 * Lists the processes that share these tables. Each updates its row regularly, and removes it at
 * the end.
 */
import type { Connection } from '../connection.ts';
import { timestamp } from '../new-row.ts';

export const BEAT_MS = 20_000;
/** A process that didn't update its row for this long has ended. */
const GONE_MS = 3 * BEAT_MS;

interface RunningGateway {
  readonly gatewayId: string;
  readonly url: string;
  readonly version: string;
  /** Number of open websockets. */
  readonly sockets: number;
  readonly startedAt: string;
  readonly seenAt: string;
}

export async function putGateway(db: Connection, row: RunningGateway): Promise<void> {
  await db
    .insertInto('RunningGateways')
    .values(row)
    .onConflict((conflict) => conflict.column('gatewayId').doUpdateSet(row))
    .execute();
  await db
    .deleteFrom('RunningGateways')
    .where('seenAt', '<', timestamp(Date.parse(row.seenAt) - GONE_MS))
    .execute();
}

export async function removeGateway(db: Connection, gatewayId: string): Promise<void> {
  await db.deleteFrom('RunningGateways').where('gatewayId', '=', gatewayId).execute();
}

/** Returns the processes that run now, the oldest first. */
export async function listGateways(db: Connection, now: number) {
  return db
    .selectFrom('RunningGateways')
    .selectAll()
    .where('seenAt', '>=', timestamp(now - GONE_MS))
    .orderBy('startedAt')
    .orderBy('gatewayId')
    .execute();
}
