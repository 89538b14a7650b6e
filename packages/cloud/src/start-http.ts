/** Creates the HTTP side: the admin API, the pages, and the entry points of the gateway. */
import type { IncomingMessage } from 'node:http';
import { resolve } from 'node:path';
import { SOCKET_PATH, STORAGE_PATH } from '@fixpoint/protocol';
import { gatewayUrl } from '@fixpoint/protocol/storage';
import {
  type Admin,
  createAdmin,
  mayChangeOrigins,
  mayRevoke,
  movedLedgerIn,
  requestTypeIn,
} from './admin/dispatch.ts';
import type { ListedBackups } from './admin/handler.ts';
import type { CloudConfig } from './config.ts';
import { httpConnections } from './gateway/carriers/http-connections.ts';
import { createApp } from './http/app.ts';
import { clientAddress, hostAskedFor } from './http/client-address.ts';
import { gatewayDoor } from './http/gateway-door.ts';
import type { Handlers } from './http/listen.ts';
import { openApiDocument } from './http/open-api.ts';
import { createOrigins, type Origins } from './http/origins.ts';
import { createRequestEntry } from './http/request-entry.ts';
import { type SecurityHeaders, securityHeaders } from './http/security-headers.ts';
import { staticConsole } from './http/static-console.ts';
import type { Identity } from './identity/identity.ts';
import { createOwnTokens } from './identity/own-tokens.ts';
import { fetchIssuerJson } from './identity/providers/issuer-fetch.ts';
import type { PeriodicSweep } from './maintenance/periodic-sweep.ts';
import type { Background } from './observe/background.ts';
import { createReadiness } from './observe/readiness.ts';
import { annotate } from './observe/running-request.ts';
import { type ApplicationOrigins, createApplicationOrigins } from './rights/application-origins.ts';
import { type Mails, providerOrigins, signInOf } from './start-accounts.ts';
import type { GatewaySide } from './start-gateway.ts';
import type { Ground, Stores } from './start-stores.ts';
import { checkedTablesAnswer } from './tables/tables-answer.ts';
import type { CloudTokens } from './tokens/cloud-tokens.ts';

export const VERSION = '0.1.0';

export interface HttpParts {
  readonly stores: Stores;
  readonly tokens: CloudTokens;
  readonly mails: Mails;
  readonly identity: Identity;
  readonly gatewaySide: GatewaySide;
  readonly background: Background;
  readonly freeing: PeriodicSweep;
  readonly listedBackups: ListedBackups | undefined;
  readonly isStopping: () => boolean;
}

/** Functions that identify the callers of the HTTP routes, the gateway and websockets. */
interface Callers {
  readonly addressOf: (request: IncomingMessage) => string;
  readonly hostOf: (request: IncomingMessage) => string | undefined;
  readonly origins: Origins;
  readonly applicationOrigins: ApplicationOrigins;
  readonly headers: SecurityHeaders;
}

export async function createHttpSide(ground: Ground, parts: HttpParts): Promise<Handlers> {
  const { config, ownUrl, now, log, metrics, tracing, report } = ground;
  const { publicUrl, basePath, proxyHops } = config;
  const callers: Callers = {
    addressOf: (request) => clientAddress(request, proxyHops),
    hostOf: (request) => hostAskedFor(request, proxyHops),
    origins: createOrigins({ publicUrl, ownUrl, allowed: config.allowedOrigins, basePath }),
    applicationOrigins: createApplicationOrigins(parts.stores.tables.db, now),
    headers: securityHeaders(publicUrl, storageOrigins(config), providerOrigins(config.identity)),
  };
  const { stores, gatewaySide } = parts;
  const door = gatewayDoor({
    gateway: gatewaySide.gateway,
    carrierFor: httpConnections(Buffer.from(stores.secrets.objects, 'hex')),
    ...callers,
    metrics,
    report,
    now,
  });
  const app = await createPages(ground, parts, callers);
  return {
    entry: createRequestEntry({ hops: proxyHops, tracing, log, now }),
    door,
    fetch: app.fetch,
    upgrade: createUpgrade(ground, parts, callers),
    report,
  };
}

async function createPages(ground: Ground, parts: HttpParts, callers: Callers) {
  const { config, url, now, metrics, report } = ground;
  const { stores, mails, identity, gatewaySide, tokens, isStopping } = parts;
  const { tables, stored } = stores;
  const lookAtTables = await checkedTablesAnswer(tables, (reason) =>
    report(new Error(`the tables are damaged; run fixpoint check, and restore a backup: ${reason}`)),
  );
  const storesAnswer = createReadiness([lookAtTables, () => stored.answers()], now);
  const isReady = async () => !isStopping() && (await storesAnswer());
  metrics.gauge('fixpoint_ready', 'Whether /readyz says that the server is ready', async () =>
    Number(await isReady()),
  );
  return createApp({
    admin: createAdminSide(ground, parts, callers),
    isApplicationOrigin: callers.applicationOrigins.has,
    identity,
    objects: gatewaySide.objects,
    refusals: mails.refusals,
    tokens,
    console: await staticConsole(config.consoleDir && resolve(config.consoleDir), callers.headers.ofFile, {
      basePath: config.basePath,
      signIn: config.identity.kind,
    }),
    ...callers,
    metrics,
    metricsToken: config.metricsToken,
    openApi: openApiDocument(`${url}${config.basePath}`, VERSION),
    publicConfig: {
      storageUrl:
        config.storageUrl ?? (config.basePath === '' ? url : `${url}${config.basePath}${STORAGE_PATH}`),
      signUp: config.signUp,
      auth: identity.type,
      signIn: signInOf(config),
    },
    communityUrl: config.communityUrl,
    isReady,
    report,
    now,
  });
}

/** Creates the admin API. A request that revokes rights takes effect at the gateway at once. */
function createAdminSide(
  { config, url, now, note, report }: Ground,
  parts: HttpParts,
  { origins, applicationOrigins }: Callers,
): Admin {
  const { stores, tokens, mails, identity, background, gatewaySide, freeing } = parts;
  const admin = createAdmin({
    db: stores.tables.db,
    note,
    identities: [identity],
    tokens,
    ownTokens: createOwnTokens(
      (address) => fetchIssuerJson(address, config.issuerNetworks),
      now,
      (cause) => note({ event: 'issuer failed', message: (cause as Error).message }),
    ),
    signUp: config.signUp,
    mailer: mails.mailer,
    background,
    server: { version: VERSION, backups: parts.listedBackups },
    newLimits: config.newLimits,
    applications: {
      perTenantMax: config.applicationsPerTenant,
      usersPerTenantMax: config.applicationUsersPerTenant,
      sessionDaysMax: config.sessionDaysMax,
      refusedOrigins: origins.own,
    },
    consoleUrl: `${url}${config.basePath}/fp/cloud`,
    now,
    report,
  });
  return async (body, from, origin) => {
    const answer = await admin(body, from, origin);
    const outcome = answer.status === 200 ? 'ok' : String(answer.body['code'] ?? 'FAULT');
    annotate({ 'fixpoint.request.type': requestTypeIn(body), 'fixpoint.outcome': outcome });
    if (answer.status === 200 && mayChangeOrigins(body)) applicationOrigins.forget();
    if (answer.status === 200 && mayRevoke(body)) {
      gatewaySide.rights.forget();
      gatewaySide.fanOut.recheck();
      gatewaySide.rooms.recheck();
      background.run(freeing.sweep);
    }
    const moved = answer.status === 200 ? movedLedgerIn(body) : undefined;
    if (moved !== undefined) stores.bus.publish(moved);
    return answer;
  };
}

/**
 * Opens websockets. Pages of registered applications may connect, unless the operator lists the
 * origins that may.
 */
function createUpgrade(
  { config: { allowedOrigins: allowed }, metrics }: Ground,
  { gatewaySide: { sockets, limits }, isStopping }: HttpParts,
  { hostOf, addressOf, origins, applicationOrigins }: Callers,
): Handlers['upgrade'] {
  const refusals = metrics.counter(
    'fixpoint_sockets_refused_total',
    'Websockets that the server did not open',
    ['status'],
    ['403', '404', '429', '503'].map((status) => ({ status })),
  );
  return (request, socket, head, entry) => {
    const { origin } = request.headers;
    const host = hostOf(request);
    const refuse = (status: string) => {
      refusals({ status: status.slice(0, 3) });
      const head = `HTTP/1.1 ${status}\r\nX-Request-Id: ${entry.requestId}`;
      socket.end(`${head}\r\nConnection: close\r\n\r\n`);
    };
    const address = addressOf(request);
    if (request.url?.split('?')[0] !== SOCKET_PATH) return refuse('404 Not Found');
    if (isStopping()) return refuse('503 Service Unavailable');
    const isOwn = origin === undefined || origins.mayConnect(origin, host);
    const ofApplication = () => (allowed === undefined ? applicationOrigins.cached(origin ?? '') : false);
    const isKnown = isOwn || ofApplication();
    // First, so that a foreign page doesn't use up the connections of its visitors.
    if (isKnown === false) return refuse('403 Forbidden');
    if (limits.connects.take(address) > 0) return refuse('429 Too Many Requests\r\nRetry-After: 1');
    const client = { origin: origins.baseOf(host), address, ...entry };
    const open = () => sockets.upgrade(request, socket, head, client);
    if (isKnown || origin === undefined) return open();
    const ignoreReset = () => undefined;
    socket.on('error', ignoreReset);
    void applicationOrigins
      .has(origin)
      .catch(() => false)
      .then((isRegistered) => {
        socket.off('error', ignoreReset);
        if (!isRegistered) refuse('403 Forbidden');
        else if (isStopping()) refuse('503 Service Unavailable');
        else if (!socket.destroyed) open();
      });
  };
}

/** Returns other origins that pages of the console send requests to. */
const storageOrigins = ({ storageUrl, bucket }: CloudConfig): string[] => [
  ...(storageUrl === undefined ? [] : [gatewayUrl(storageUrl).origin]),
  ...(bucket?.isDirect ? [new URL(bucket.url).origin] : []),
];
