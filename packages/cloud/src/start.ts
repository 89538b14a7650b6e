/** Joins the parts of the server. */
import { access, constants, mkdir } from 'node:fs/promises';
import type { IncomingMessage, Server } from 'node:http';
import { join, resolve } from 'node:path';
import { FixpointError, SOCKET_PATH, STORAGE_PATH } from '@fixpoint/protocol';
import { serve } from '@hono/node-server';
import { sql } from 'kysely';
import { createAdmin } from './admin/dispatch.ts';
import { localBus } from './bus/local-bus.ts';
import type { CloudConfig } from './config.ts';
import { createGateway } from './gateway/gateway.ts';
import { createSockets } from './gateway/sockets.ts';
import { createApp } from './http/app.ts';
import { securityHeaders } from './http/security-headers.ts';
import { staticConsole } from './http/static-console.ts';
import { builtinIdentity } from './identity/builtin.ts';
import { outboxMailer } from './mail/outbox.ts';
import { diskObjects } from './objects/disk-objects.ts';
import { createLog } from './observe/log.ts';
import { createLedgerRights } from './rights/rights.ts';
import { loadSecrets } from './secrets.ts';
import { openSqlite } from './tables/database.ts';
import { createCloudTokens } from './tokens/cloud-tokens.ts';

export interface Cloud {
  readonly url: string;
  /** Finishes what runs, closes sockets and stores. */
  stop(): Promise<void>;
}

/** @throws FixpointError CONFIG_INVALID with one line that says what to do */
export async function startCloud(config: CloudConfig): Promise<Cloud> {
  const data = resolve(config.data);
  await makeDataFolder(data);
  const port = config.port === 0 ? await freePort(config.host) : config.port;
  const publicUrl =
    config.publicUrl ?? `http://${config.host === '127.0.0.1' ? 'localhost' : config.host}:${port}`;
  const now = () => Date.now();
  const log = createLog(config.logLevel);
  const report = (error: unknown) => log.error({ err: error }, 'request failed');

  const secrets = await loadSecrets(data);
  const db = await openSqlite(data);
  const tokens = await createCloudTokens(secrets.tokens);
  const mailer = outboxMailer(join(data, 'outbox'), now);
  const identity = await builtinIdentity({
    db,
    publicUrl,
    secret: secrets.auth,
    mailer,
    signUp: config.signUp,
  });
  const rights = createLedgerRights(db, now);
  const objects = diskObjects(join(data, 'objects'), publicUrl, Buffer.from(secrets.objects, 'hex'), now);
  const bus = localBus();
  const paths = { httpPath: STORAGE_PATH, socketPath: SOCKET_PATH };
  const gateway = createGateway({ db, tokens, rights, objects, bus, now, report, ...paths });
  const sockets = createSockets({ gateway, db, rights, bus, now, report, isAllowedOrigin: () => true });
  const headersFor = securityHeaders(publicUrl);
  let stopping = false;

  const app = createApp({
    admin: createAdmin({ db, identities: [identity], tokens, now, report }),
    gateway,
    identity,
    objects,
    tokens,
    console: await staticConsole(
      config.consoleDir === undefined ? '' : resolve(config.consoleDir),
      headersFor,
    ),
    headersFor,
    isReady: async () =>
      !stopping &&
      (await sql`select 1`.execute(db).then(
        () => true,
        () => false,
      )),
    clientIp: (c) => (c.env as { incoming: IncomingMessage }).incoming.socket.remoteAddress ?? 'unknown',
  });

  const server = await listen(app.fetch, config.host, port).catch(async (cause) => {
    sockets.close();
    await db.destroy();
    throw cause;
  });
  server.on('upgrade', (request, socket, head) => {
    if (new URL(request.url ?? '/', publicUrl).pathname === SOCKET_PATH)
      sockets.upgrade(request, socket, head);
    else socket.destroy();
  });
  return {
    url: publicUrl,
    stop: async () => {
      stopping = true;
      sockets.close();
      const closed = new Promise((done) => server.close(done));
      server.closeIdleConnections();
      const force = setTimeout(() => server.closeAllConnections(), 3000);
      await closed;
      clearTimeout(force);
      await db.destroy();
    },
  };
}

async function makeDataFolder(data: string): Promise<void> {
  try {
    await mkdir(data, { recursive: true, mode: 0o700 });
    await access(data, constants.W_OK);
  } catch (cause) {
    throw new FixpointError(
      'CONFIG_INVALID',
      `FIXPOINT_DATA=${data} cannot be written: ${(cause as Error).message}`,
      { cause },
    );
  }
}

function listen(
  fetch: Parameters<typeof serve>[0]['fetch'],
  hostname: string,
  port: number,
): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch, hostname, port }, () => resolve(server)) as Server;
    server.headersTimeout = 10_000;
    server.requestTimeout = 30_000;
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const taken = cause.code === 'EADDRINUSE';
      reject(
        new FixpointError(
          'CONFIG_INVALID',
          taken ? `port ${port} is in use: set PORT to another one` : cause.message,
          { cause },
        ),
      );
    });
  });
}

async function freePort(host: string): Promise<number> {
  const { createServer } = await import('node:net');
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, host, () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
