import { createServer, type Socket } from 'node:net';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from './admin/admin.fixture.ts';
import { type CloudConfig, defaultConfig } from './config.ts';
import { startCloud } from './start.ts';
import { openTables } from './tables/open-tables.ts';

/** Starts a server that implements just enough of NATS for clients to connect, and counts them. */
async function busServer() {
  const clients = new Set<Socket>();
  let connected = 0;
  const server = createServer((socket) => {
    connected += 1;
    clients.add(socket);
    socket.on('close', () => clients.delete(socket));
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      const pings = bytes.toString().split('PING').length - 1;
      socket.write('PONG\r\n'.repeat(pings));
    });
    const info = { server_id: 'test', version: '2.10.0', proto: 1, max_payload: 1_048_576, headers: true };
    socket.write(`INFO ${JSON.stringify(info)}\r\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  onTestFinished(async () => {
    for (const socket of clients) socket.destroy();
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  });
  return { url: `nats://127.0.0.1:${port}`, open: () => clients.size, connected: () => connected };
}

/**
 * Makes the migration of the account tables fail: this index has the name of an account table, so
 * that table can't be created.
 */
const BLOCK = 'create index session on "Users" (status)';
const UNBLOCK = 'drop index session';

/** Returns functions that start a server on one data folder, and that change its tables. */
function startable(data = temporaryFolder()) {
  const start = (overrides: Partial<CloudConfig> = {}) =>
    startCloud({ ...defaultConfig(data), host: '127.0.0.1', port: 0, logLevel: 'silent', ...overrides });
  /** Changes the tables while no server runs. */
  const change = async (statement: string) => {
    const { db } = await openTables(undefined, data, () => undefined);
    await sql.raw(statement).execute(db);
    await db.destroy();
  };
  return { start, change };
}

/** Listens on a port, by default any free port, then frees it. Rejects if the port is in use. */
async function listenOn(port = 0): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const bound = server.address() as { port: number };
  await new Promise<void>((resolve) => void server.close(() => resolve()));
  return bound.port;
}

describe('a server that cannot start', () => {
  test('disconnects from its bus and frees its port when the account tables cannot be migrated', async () => {
    const { start, change } = startable();
    const bus = await busServer();
    const port = await listenOn();
    const config: Partial<CloudConfig> = { port, bus: { kind: 'nats', urls: [bus.url] } };
    await change(BLOCK);
    await expect(start(config)).rejects.toThrow(/index named session/);
    await expect.poll(bus.open).toBe(0);
    expect([bus.connected(), await listenOn(port)]).toEqual([1, port]);
    // The failed start leaves nothing behind that prevents the next server from starting.
    await change(UNBLOCK);
    const cloud = await start(config);
    expect(bus.open()).toBe(1);
    await cloud.stop();
    await expect.poll(bus.open).toBe(0);
  });

  test('reports that the bus does not answer, and frees its port', async () => {
    const { start } = startable();
    const port = await listenOn();
    const refused = start({ port, bus: { kind: 'nats', urls: ['nats://127.0.0.1:1'] } });
    await expect(refused).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('HINT_BUS'),
    });
    expect(await listenOn(port)).toBe(port);
  });
});

describe('the link for the first operator', () => {
  test('changes at each start, and is missing once the server has an operator or if it has no console', async () => {
    const consoleDir = temporaryFolder();
    const { start, change } = startable();
    const linkOf = async (overrides: Partial<CloudConfig> = {}) => {
      const cloud = await start({
        consoleDir,
        publicUrl: 'https://notes.example',
        basePath: '/fix',
        ...overrides,
      });
      await cloud.stop();
      return cloud.operatorLink;
    };
    const links = [await linkOf(), await linkOf()];
    for (const link of links)
      expect(link).toMatch(/^https:\/\/notes\.example\/fix\/fp\/cloud\/operator\/claim#[\w-]{43}$/);
    expect(new Set(links).size).toBe(2);
    expect(await linkOf({ consoleDir: undefined })).toBeUndefined();
    await change(`insert into "Operators" ("userId", "createdAt") values ('u', 'now')`);
    expect(await linkOf()).toBeUndefined();
  });
});
