/** Starts a server: opens its stores, creates its parts, and connects them. */
import { resolve } from 'node:path';
import type { CloudConfig } from './config.ts';
import { listen, type Server } from './http/listen.ts';
import { countExistingObjects } from './maintenance/count-objects.ts';
import { freeObjects } from './maintenance/free-objects.ts';
import { createRetention } from './maintenance/retention.ts';
import { reportGateway } from './maintenance/running-gateway.ts';
import { createBackground } from './observe/background.ts';
import { createLog } from './observe/log.ts';
import { createMetrics } from './observe/metrics.ts';
import { startTracing } from './observe/start-tracing.ts';
import { createIdentity, createMails } from './start-accounts.ts';
import { createBackups } from './start-backups.ts';
import { createGatewaySide } from './start-gateway.ts';
import { createHttpSide, VERSION } from './start-http.ts';
import {
  closeStores,
  type Ground,
  makeDataFolder,
  measureStores,
  openStores,
  type Stores,
} from './start-stores.ts';
import { createCloudTokens } from './tokens/cloud-tokens.ts';
import { newOperatorLink } from './tokens/operator-link.ts';

export interface Cloud {
  /** The address that users see. */
  readonly url: string;
  /** The listening address. Differs from `url` only behind a proxy. */
  readonly ownUrl: string;
  /**
   * The one-time link with which somebody becomes the first operator. It is a secret. Undefined if
   * the server has an operator, and for a server without a console.
   */
  readonly operatorLink: string | undefined;
  /** Closes sockets and connections once their requests are done, then the stores. */
  stop(): Promise<void>;
}

/**
 * Starts a server. Resolves when the server accepts requests.
 * @throws FixpointError CONFIG_INVALID with one line that says what to do
 */
export async function startCloud(config: CloudConfig): Promise<Cloud> {
  const data = resolve(config.data);
  await makeDataFolder(data);
  // Binds the port first, so that an accidental second server fails before it changes anything.
  const server = await listen(config.host, config.port, config.basePath);
  const ground = await groundOf(config, data, server.url);
  try {
    return await joinParts(ground, server);
  } catch (cause) {
    await server.close();
    await ground.tracing?.stop();
    throw cause;
  }
}

async function groundOf(config: CloudConfig, data: string, ownUrl: string): Promise<Ground> {
  const log = createLog(config.logLevel);
  const metrics = createMetrics();
  const now = () => Date.now();
  return {
    config,
    data,
    url: config.publicUrl ?? ownUrl,
    ownUrl,
    now,
    log,
    metrics,
    tracing: await startTracing(config.tracesUrl, VERSION, metrics, log, now),
    report: (error) => log.error({ err: error }, 'request failed'),
    note: (event) => log.info(event, 'security'),
  };
}

async function joinParts(ground: Ground, server: Server): Promise<Cloud> {
  const stores = await openStores(ground);
  try {
    return await joinOver(stores, ground, server);
  } catch (cause) {
    await closeStores(stores);
    throw cause;
  }
}

async function joinOver(stores: Stores, ground: Ground, server: Server): Promise<Cloud> {
  const { config, data, url, ownUrl, now, log, tracing, report } = ground;
  const { db } = stores.tables;
  const tokens = await createCloudTokens(stores.secrets.tokens, now);
  const background = createBackground(report);
  const mails = createMails(ground, stores);
  const identity = await createIdentity(ground, stores, mails);
  const stopMeasuring = measureStores(ground, stores);
  const gatewaySide = createGatewaySide(ground, stores, tokens);
  const freeing = freeObjects({ db, objects: gatewaySide.objects, now, report });
  const retention = createRetention({ db, auditDays: config.auditDays, now, report });
  const backups = await createBackups(ground, stores);
  background.run(retention.sweep);
  background.run(backups.sweep);
  let stopping = false;
  const isStopping = () => stopping;
  background.run(() => countExistingObjects({ db, stored: stores.stored, isStopping }));
  const running = reportGateway({
    ...{ db, url: ownUrl, version: VERSION, now, report },
    traffic: gatewaySide.traffic,
    sockets: () => gatewaySide.sockets.count(),
  });
  background.run(running.sweep);
  const handlers = await createHttpSide(ground, {
    stores,
    tokens,
    mails,
    identity,
    gatewaySide,
    background,
    freeing,
    listedBackups: backups.listed,
    isStopping,
  });
  const consoleUrl = `${url}${config.basePath}/fp/cloud`;
  // The link leads to a page of the console.
  const operatorLink = config.consoleDir ? await newOperatorLink(db, consoleUrl, now()) : undefined;
  server.serve(handlers);
  log.info({ url, data }, 'ready');
  return {
    url,
    ownUrl,
    operatorLink,
    stop: async () => {
      stopping = true;
      await gatewaySide.sockets.close();
      await gatewaySide.fanOut.stop();
      await gatewaySide.rooms.stop();
      stopMeasuring();
      await stores.bus.close();
      await server.close();
      await freeing.stop();
      await retention.stop();
      await backups.stop();
      await running.stop();
      await background.settled();
      mails.close();
      await db.destroy();
      await tracing?.stop();
      log.info('stopped');
    },
  };
}
