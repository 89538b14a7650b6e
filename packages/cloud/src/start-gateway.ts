/** Creates the storage gateway, with its objects, listings and sockets. */
import { randomInt } from 'node:crypto';
import { SOCKET_PATH, STORAGE_PATH } from '@fixpoint/protocol';
import type { Endpoints } from '@fixpoint/protocol/storage';
import type { CloudConfig, Rates } from './config.ts';
import { createSockets, type Sockets } from './gateway/carriers/socket-server.ts';
import { createPresence } from './gateway/content/presence.ts';
import { createObjectCare } from './gateway/content/protect-objects.ts';
import { createStorageCount } from './gateway/content/storage-count.ts';
import { createFanOut, type FanOut } from './gateway/following/fan-out.ts';
import { createListings } from './gateway/following/listings.ts';
import { createPolls } from './gateway/following/polls.ts';
import { createGateway, type Gateway } from './gateway/gateway.ts';
import type { GatewayLimits } from './gateway/gateway-types.ts';
import { createPresenceRooms, type Presence } from './gateway/presence/rooms.ts';
import { createAddressBucket, createBucket, type Rate } from './limits/token-bucket.ts';
import { type ServedObjects, serveObjects } from './objects/serve-objects.ts';
import { urlSigner } from './objects/signed-url.ts';
import { watchGateway } from './observe/gateway-watch.ts';
import type { Metrics } from './observe/metrics.ts';
import { outsideRequests } from './observe/running-request.ts';
import { createLedgerRights, type LedgerRights } from './rights/rights.ts';
import type { Ground, Stores } from './start-stores.ts';
import { newId } from './tables/new-row.ts';
import { createTraffic, type Traffic } from './tables/operators/traffic.ts';
import type { CloudTokens } from './tokens/cloud-tokens.ts';

/**
 * Milliseconds for which a seen object counts as present. Checking a file is cheap; checking a
 * bucket costs a request.
 */
const DISK_PRESENCE_MS = 1000;
const BUCKET_PRESENCE_MS = 60_000;
/**
 * Limits how often a user may report faulty objects, because the server then reads each object in
 * full, up to 64 MB.
 */
const REPORTS: Rate = { perSecond: 0.5, burst: 40 };
/** Limits how often a user may put new entries of membership logs, up to 64 entries each time. */
const LOG_PUTS: Rate = { perSecond: 0.5, burst: 40 };

const RANDOM_STEPS = 2 ** 32;
/** Time and randomness of presence. */
const sources = {
  after: (ms: number, fn: () => void) => {
    // Timers that start each other would otherwise belong to the first request for ever.
    const timer = setTimeout(outsideRequests(fn), ms);
    return () => clearTimeout(timer);
  },
  random: () => randomInt(RANDOM_STEPS) / RANDOM_STEPS,
  newId,
};

export interface GatewaySide {
  readonly gateway: Gateway;
  readonly objects: ServedObjects;
  readonly traffic: Traffic;
  readonly rights: LedgerRights;
  readonly fanOut: FanOut;
  readonly rooms: Presence;
  readonly sockets: Sockets;
  readonly limits: GatewayLimits;
}

export function createGatewaySide(ground: Ground, stores: Stores, tokens: CloudTokens): GatewaySide {
  const { config, now, report, metrics, tracing } = ground;
  const { bus, tables } = stores;
  const { db } = tables;
  const rights = createLedgerRights(db, now);
  const { objects, presence, listings, traffic } = createObjectSide(ground, stores);
  const watch = watchGateway(metrics);
  const limits = limitsFrom(config.rates, now);
  const rooms = createPresenceRooms({ rights, channel: bus.states, now, report, ...sources });
  const gateway = createGateway({
    db,
    tokens,
    rights,
    objects,
    presence,
    listings,
    bus,
    polls: createPolls(),
    rooms,
    traffic,
    now,
    report,
    watch,
    limits,
    startsLogs: config.startsLogs,
    endpoints: endpointsOf(config),
  });
  const fanOut = createFanOut({ db, rights, listings, bus, report, watch, now });
  const { socketsPerUser } = config.rates;
  const sockets = createSockets({ gateway, fanOut, rooms, rights, watch, report, socketsPerUser, tracing });
  measure(metrics, sockets, fanOut, rooms);
  metrics.gauge('fixpoint_sockets_per_user_limit', 'Sockets that one user may open', () => socketsPerUser);
  return { gateway, objects, traffic, rights, fanOut, rooms, sockets, limits };
}

/** Creates the object store, and the parts that track which objects are present. */
function createObjectSide({ config, now, report }: Ground, { secrets, tables, stored, bus }: Stores) {
  const { db } = tables;
  const { publicUrl } = config;
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).host;
  const signer = urlSigner(Buffer.from(secrets.objects, 'hex'), now);
  const objects = serveObjects(stored, signer, publicHost, report, () => care);
  const presence = createPresence(objects, now);
  const presenceMs = config.bucket === undefined ? DISK_PRESENCE_MS : BUCKET_PRESENCE_MS;
  const listings = createListings({ db, presence, presenceMs, bus, now, report });
  const traffic = createTraffic(db, now);
  const count = createStorageCount(db, stored);
  const care = createObjectCare({ db, presence, listings, count, traffic, now, report });
  return { objects, presence, listings, traffic };
}

function measure(metrics: Metrics, sockets: Sockets, fanOut: FanOut, rooms: Presence): void {
  metrics.gauge('fixpoint_sockets', 'Open websockets', () => sockets.count());
  metrics.gauge('fixpoint_sockets_of_one_user', 'Open websockets of the user who has most', () =>
    sockets.highestOfUser(),
  );
  metrics.gauge('fixpoint_bindings', 'Connections that follow a ledger', () => fanOut.count());
  metrics.gauge('fixpoint_messages_waiting', 'Unanswered messages on sockets', () => sockets.waiting());
  metrics.gauge(
    'fixpoint_presence_members',
    'Sockets that take part in presence',
    () => rooms.counts().members,
  );
  metrics.gauge('fixpoint_presence_states', 'States of present clients', () => rooms.counts().states);
}

const limitsFrom = (rates: Rates, now: () => number): GatewayLimits => ({
  ofUser: createBucket({ perSecond: rates.perUserSecond, burst: rates.perUserSecond * 10 }, now),
  ofAddress: createAddressBucket(
    { perSecond: rates.perAddressSecond, burst: rates.perAddressSecond * 10 },
    now,
  ),
  connects: createAddressBucket(
    { perSecond: rates.socketsPerAddressMinute / 60, burst: rates.socketsPerAddressMinute },
    now,
  ),
  reports: createBucket(REPORTS, now),
  logPuts: createBucket(LOG_PUTS, now),
  presence: createBucket({ perSecond: rates.perUserSecond / 2, burst: rates.perUserSecond * 2 }, now),
});

/** Returns paths of this server, or the addresses of all gateways that share its stores. */
function endpointsOf({ gatewayUrls, basePath }: CloudConfig): Endpoints {
  const bases = gatewayUrls.length === 0 ? [''] : gatewayUrls;
  return {
    http: bases.map((base) => `${base}${basePath}${STORAGE_PATH}`),
    socket: bases.map((base) => `${base.replace(/^http/, 'ws')}${basePath}${SOCKET_PATH}`),
  };
}
