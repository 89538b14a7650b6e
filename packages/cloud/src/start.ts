/** Connects the parts of the server. */
import { access, constants, mkdir } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { dirname, join, resolve } from 'node:path';
import type { Duplex } from 'node:stream';
import {
  clerkScriptUrl,
  FixpointError,
  parsePublishableKey,
  SOCKET_PATH,
  STORAGE_PATH,
} from '@fixpoint/protocol';
import { type Endpoints, gatewayUrl } from '@fixpoint/protocol/storage';
import { createAdmin } from './admin/dispatch.ts';
import { openBus } from './bus/open-bus.ts';
import type { CloudConfig, Rates } from './config.ts';
import type { IdentityConfig, OidcConfig } from './config-accounts.ts';
import { httpConnections } from './gateway/carriers/http-connections.ts';
import { createSockets } from './gateway/carriers/sockets.ts';
import { createPresence } from './gateway/content/presence.ts';
import { createObjectCare } from './gateway/content/protect-objects.ts';
import { createFanOut } from './gateway/following/fan-out.ts';
import { createListings } from './gateway/following/listings.ts';
import { createPolls } from './gateway/following/polls.ts';
import { createGateway } from './gateway/gateway.ts';
import { createApp } from './http/app.ts';
import { clientAddress, hostAskedFor } from './http/client-address.ts';
import { gatewayDoor } from './http/gateway-door.ts';
import { listen, type Server } from './http/listen.ts';
import { openApiDocument } from './http/open-api.ts';
import { createOrigins } from './http/origins.ts';
import { securityHeaders } from './http/security-headers.ts';
import { staticConsole } from './http/static-console.ts';
import { builtinIdentity } from './identity/builtin.ts';
import type { Identity } from './identity/identity.ts';
import { clerkIdentity } from './identity/providers/clerk-identity.ts';
import { createAddressBucket, createBucket, type Rate } from './limits/bucket.ts';
import { limitedAccountMailer } from './mail/account-mailer.ts';
import { outboxMailer } from './mail/outbox.ts';
import { createMailRefusals, refusableMailer } from './mail/refusal.ts';
import { smtpMailer } from './mail/smtp.ts';
import { createRetention } from './maintenance/audit-retention.ts';
import { freeObjects } from './maintenance/free-objects.ts';
import { syncFolder } from './objects/disk-objects.ts';
import { openObjects } from './objects/open-objects.ts';
import { serveObjects } from './objects/serve-objects.ts';
import { urlSigner } from './objects/signed-url.ts';
import { createBackground } from './observe/background.ts';
import { watchGateway } from './observe/gateway-watch.ts';
import { createLog } from './observe/log.ts';
import { createMetrics } from './observe/metrics.ts';
import { createReadiness } from './observe/readiness.ts';
import { createLedgerRights } from './rights/rights.ts';
import { loadSecrets, requireSameSecrets } from './secrets.ts';
import { openTables } from './tables/open-tables.ts';
import { tablesAnswer } from './tables/tables-answer.ts';
import { createCloudTokens } from './tokens/cloud-tokens.ts';

const VERSION = '0.1.0';
/**
 * How long a seen object counts as present: checking a file is cheap, checking a bucket is a
 * request.
 */
const DISK_PRESENCE_MS = 1000;
const BUCKET_PRESENCE_MS = 60_000;

export interface Cloud {
  /** The address that users see. */
  readonly url: string;
  /** The listening address: the same unless a proxy is in front. */
  readonly ownUrl: string;
  /** Finishes running work, closes sockets and stores. */
  stop(): Promise<void>;
}

/**
 * Starts a server; it accepts requests when this resolves.
 * @throws FixpointError CONFIG_INVALID with one line that says what to do
 */
export async function startCloud(config: CloudConfig): Promise<Cloud> {
  const data = resolve(config.data);
  await makeDataFolder(data);
  // Binds the port first: an accidental second server fails before it changes anything.
  const server = await listen(config.host, config.port, config.basePath);
  try {
    return await joinParts(config, data, server);
  } catch (cause) {
    await server.close();
    throw cause;
  }
}

async function joinParts(config: CloudConfig, data: string, server: Server): Promise<Cloud> {
  const { publicUrl, basePath } = config;
  const url = publicUrl ?? server.url;
  const now = () => Date.now();
  const log = createLog(config.logLevel);
  const report = (error: unknown) => log.error({ err: error }, 'request failed');

  const secrets = await loadSecrets(data);
  const note = (event: object) => log.info(event, 'security');
  const objectSecret = Buffer.from(secrets.objects, 'hex');
  const tables = await openTables(config.databaseUrl, data, report);
  const { db } = tables;
  if (tables.kind === 'postgres') await requireSameSecrets(db, secrets);
  const tokens = await createCloudTokens(secrets.tokens, now);
  const outbox = outboxMailer(join(data, 'outbox'), now, (mail) => log.info(mail, 'mail put in the outbox'));
  const smtp = config.smtp && smtpMailer({ ...config.smtp, fallback: outbox, report });
  const refusals = createMailRefusals(db, objectSecret, `${url}${basePath}`, now);
  const mailer = refusableMailer(smtp ?? outbox, refusals);
  const background = createBackground(report);
  const builtin = await tables.alone(() =>
    builtinIdentity({
      db,
      database: tables.kind,
      publicUrl: url,
      secrets: secrets.auth,
      mailer: limitedAccountMailer(db, mailer, now, note),
      basePath,
      signUp: config.signUp,
      secondFactor: config.secondFactor,
      sessionDaysMax: config.sessionDaysMax,
      signOutEnds: config.signOutEnds,
      oidc: providerOf(config.identity),
      hasOwnWays: config.identity.kind !== 'oidc',
      now,
      note,
      report,
    }),
  );
  const identity =
    config.identity.kind === 'clerk'
      ? clerkOf(config.identity, [url, ...(config.allowedOrigins ?? [])], now)
      : builtin;
  const rights = createLedgerRights(db, now);
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).host;
  const stored = await openObjects(config.bucket, data, now);
  const bus = await openBus(config.bus, report);
  const objects = serveObjects(stored, urlSigner(objectSecret, now), publicHost, report, () => care);
  const presence = createPresence(objects, now);
  const presenceMs = config.bucket === undefined ? DISK_PRESENCE_MS : BUCKET_PRESENCE_MS;
  const listings = createListings({ db, presence, presenceMs, bus, now, report });
  const care = createObjectCare({ db, presence, listings, now, report });
  const freeing = freeObjects({ db, objects, now, report });
  const retention = createRetention({ db, auditDays: config.auditDays, now, report });
  background.run(retention.sweep);
  const polls = createPolls();
  const metrics = createMetrics();
  const watch = watchGateway(metrics);
  const limits = limitsFrom(config.rates, now);
  const gateway = createGateway({
    db,
    tokens,
    rights,
    objects,
    presence,
    listings,
    bus,
    polls,
    now,
    report,
    watch,
    limits,
    endpoints: endpointsOf(config),
  });
  const fanOut = createFanOut({ db, rights, listings, bus, report, watch, now });
  const { socketsPerUser } = config.rates;
  const sockets = createSockets({ gateway, fanOut, rights, watch, report, socketsPerUser });
  const origins = createOrigins({ publicUrl, ownUrl: server.url, allowed: config.allowedOrigins, basePath });
  const headers = securityHeaders(publicUrl, storageOrigins(config), providerOrigins(config.identity));
  metrics.gauge('fixpoint_sockets', 'Websockets that are open', () => sockets.count());
  metrics.gauge('fixpoint_bindings', 'Connections that follow a ledger', () => fanOut.count());
  metrics.gauge('fixpoint_messages_waiting', 'Messages on sockets that are not answered yet', () =>
    sockets.waiting(),
  );
  let stopping = false;
  const storesAnswer = createReadiness([() => tablesAnswer(tables), () => stored.answers()], now);
  const addressOf = (request: IncomingMessage) => clientAddress(request, config.proxyHops);
  const hostOf = (request: IncomingMessage) => hostAskedFor(request, config.proxyHops);
  const consoleUrl = `${url}${basePath}/fp/cloud`;
  const identities = [identity];
  const { signUp } = config;
  const admin = createAdmin({
    db,
    note,
    identities,
    tokens,
    signUp,
    mailer,
    background,
    consoleUrl,
    now,
    report,
  });

  const app = createApp({
    admin: async (body, from) => {
      const answer = await admin(body, from);
      if (answer.status === 200 && mayTakeRights(body)) {
        rights.forget();
        fanOut.recheck();
        background.run(freeing.sweep);
      }
      return answer;
    },
    addressOf,
    hostOf,
    identity,
    objects,
    refusals,
    tokens,
    console: await staticConsole(config.consoleDir && resolve(config.consoleDir), headers.ofFile),
    origins,
    headers,
    metrics,
    metricsToken: config.metricsToken,
    openApi: openApiDocument(`${url}${basePath}`, VERSION),
    publicConfig: {
      storageUrl: config.storageUrl ?? url,
      signUp: config.signUp,
      auth: identity.type,
      signIn: signInOf(config),
    },
    isReady: async () => !stopping && (await storesAnswer()),
    report,
    now,
  });
  const door = gatewayDoor({
    gateway,
    carrierFor: httpConnections(objectSecret),
    addressOf,
    hostOf,
    origins,
    headers,
    metrics,
    report,
    now,
  });
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const { origin } = request.headers;
    const host = hostOf(request);
    const refuse = (status: string) => void socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
    const address = addressOf(request);
    if (request.url?.split('?')[0] !== SOCKET_PATH) return refuse('404 Not Found');
    if (stopping) return refuse('503 Service Unavailable');
    if (origin !== undefined && !origins.mayConnect(origin, host)) return refuse('403 Forbidden');
    if (limits.connects.take(address) > 0) return refuse('429 Too Many Requests\r\nRetry-After: 1');
    sockets.upgrade(request, socket, head, { origin: origins.baseOf(host), address });
  };
  server.serve(door, app.fetch, upgrade, report);
  log.info({ url, data }, 'ready');
  return {
    url,
    ownUrl: server.url,
    stop: async () => {
      stopping = true;
      await sockets.close();
      await fanOut.stop();
      await bus.close();
      await server.close();
      await freeing.stop();
      await retention.stop();
      await background.settled();
      smtp?.close();
      await db.destroy();
      log.info('stopped');
    },
  };
}

/** Paths of this server, or the addresses of all that share its stores. */
function endpointsOf({ gatewayUrls, basePath }: CloudConfig): Endpoints {
  const bases = gatewayUrls.length === 0 ? [''] : gatewayUrls;
  return {
    http: bases.map((base) => `${base}${basePath}${STORAGE_PATH}`),
    socket: bases.map((base) => `${base.replace(/^http/, 'ws')}${basePath}${SOCKET_PATH}`),
  };
}

/** Other origins to which pages of the console send requests. */
const storageOrigins = ({ storageUrl, bucket }: CloudConfig): string[] => [
  ...(storageUrl === undefined ? [] : [gatewayUrl(storageUrl).origin]),
  ...(bucket?.isDirect ? [new URL(bucket.url).origin] : []),
];

/**
 * Origins from which pages load the script of the sign-in provider; none for one behind a path of
 * the own origin.
 */
function providerOrigins(identity: IdentityConfig): string[] {
  if (identity.kind !== 'clerk') return [];
  const key = parsePublishableKey(identity.publishableKey);
  const script = key && clerkScriptUrl(key, identity.proxyUrl);
  return script === undefined || script.startsWith('/') ? [] : [new URL(script).origin];
}

const clerkOf = (
  { issuer, keysUrl, hasOrganizations }: IdentityConfig & { kind: 'clerk' },
  parties: readonly string[],
  now: () => number,
): Identity => clerkIdentity({ issuer, keysUrl, parties, hasOrganizations, now });

/** The provider of OpenID Connect, if there is one. */
function providerOf(identity: IdentityConfig): OidcConfig | undefined {
  if (identity.kind === 'builtin') return identity.beside;
  return identity.kind === 'oidc' ? identity : undefined;
}

/** What the console needs to know to sign people in. */
function signInOf({ identity, secondFactor, signOutEnds }: CloudConfig): Readonly<Record<string, unknown>> {
  const provider = providerOf(identity);
  const named = {
    ...(provider && { provider: { ...(provider.name !== undefined && { name: provider.name }) } }),
    ...(signOutEnds !== 'keep' && { signOutEnds }),
  };
  if (identity.kind === 'builtin') return { kind: identity.kind, passkeys: true, secondFactor, ...named };
  if (identity.kind === 'oidc') return { kind: identity.kind, ...named };
  const { kind, publishableKey, proxyUrl, template } = identity;
  return { kind, publishableKey, template, ...(proxyUrl !== undefined && { proxyUrl }) };
}

/** An object has up to 64 MB. */
const REPORTS: Rate = { perSecond: 0.5, burst: 40 };

const limitsFrom = (rates: Rates, now: () => number) => ({
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
});

/**
 * Returns whether an admin request may revoke rights. Those that only read arrive by the thousand.
 */
const mayTakeRights = (body: unknown): boolean =>
  /^req(Delete|Remove|Revoke|Share|Unshare|Update)/.test(String((body as { type?: unknown } | null)?.type));

async function makeDataFolder(data: string): Promise<void> {
  try {
    await makeFolders(data);
    // A file of that name is no folder; the trailing slash makes the system report that.
    await access(join(data, '/'), constants.W_OK);
  } catch (cause) {
    throw new FixpointError(
      'CONFIG_INVALID',
      `FIXPOINT_DATA=${data} cannot be written: ${(cause as Error).message}`,
      { cause },
    );
  }
}

/**
 * Creates a folder and its parents; each survives a power loss. Works folder by folder: where one
 * can't be created (below /proc, say), Node's own recursive mode never ends.
 */
async function makeFolders(path: string): Promise<void> {
  const outcome = await mkdir(path, { mode: 0o700 }).then(() => 'created' as const, outcomeOf);
  if (outcome === 'there') return;
  if (outcome === 'none above') {
    await makeFolders(dirname(path));
    await mkdir(path, { mode: 0o700 });
  }
  await syncFolder(dirname(path));
}

function outcomeOf(cause: NodeJS.ErrnoException): 'there' | 'none above' {
  if (cause.code === 'EEXIST') return 'there';
  if (cause.code === 'ENOENT') return 'none above';
  throw cause;
}
