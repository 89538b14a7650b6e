/** Keeps the row of this process among the running gateways up to date, and stores its traffic. */
import { hostname } from 'node:os';
import type { Db } from '../tables/connection.ts';
import { newId, timestamp } from '../tables/new-row.ts';
import { BEAT_MS, putGateway, removeGateway } from '../tables/operators/gateway-rows.ts';
import type { Traffic } from '../tables/operators/traffic.ts';
import { createPeriodicSweep, type PeriodicSweep } from './periodic-sweep.ts';

export interface GatewayParts {
  readonly db: Db;
  /** The listening address of this process. */
  readonly url: string;
  readonly version: string;
  readonly traffic: Pick<Traffic, 'flush'>;
  /** Returns the number of open websockets. */
  readonly sockets: () => number;
  readonly now: () => number;
  readonly report: (error: unknown) => void;
}

export function reportGateway(parts: GatewayParts): PeriodicSweep {
  const { db, version, traffic, sockets, now, report } = parts;
  const own = { gatewayId: newId(), url: namedUrl(parts.url), version, startedAt: timestamp(now()) };
  const pass = async () => {
    await traffic.flush();
    await putGateway(db, { ...own, sockets: sockets(), seenAt: timestamp(now()) });
  };
  const beats = createPeriodicSweep(BEAT_MS, pass, report);
  return {
    sweep: beats.sweep,
    stop: async () => {
      await beats.stop();
      await traffic.flush().catch(report);
      await removeGateway(db, own.gatewayId).catch(report);
    },
  };
}

/** Returns the address with the name of this machine, if the server listens on all addresses. */
function namedUrl(text: string): string {
  const url = new URL(text);
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = hostname();
  return url.origin;
}
