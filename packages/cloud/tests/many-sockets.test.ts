import { requestMessage } from '@fixpoint/protocol/storage';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { budget, patienceMs } from '../../engine/tests/budget.fixture.ts';
import {
  bind,
  carKey,
  cidsOf,
  commit,
  httpClient,
  type Ledger,
  metaEntry,
  newLedger,
  newMember,
  putMetas,
  putObject,
  type SocketClient,
  sealedEntry,
  socketClient,
  tablesOf,
  temporaryFolder,
  testCloud,
} from './cloud.fixture.ts';
import { build, run } from './process.fixture.ts';

beforeAll(build);

const NO_PACE = { RATE_PER_USER: '1000000', RATE_PER_ADDRESS: '1000000', RATE_OF_SOCKETS: '1000000' };
const SOCKETS_OF_USER = 100;

async function metric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name.replace(/[{}"]/g, '\\$&')} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
}

/**
 * Opens a follower that stores only the data that the test checks, so that a thousand followers are
 * cheap.
 */
async function follower(url: string, ledger: Ledger, index: number) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`);
  const cids: string[] = [];
  let heardAt = 0;
  let give: () => void = () => undefined;
  const bound = new Promise<void>((resolve) => {
    give = resolve;
  });
  socket.on('message', (data) => {
    const message = JSON.parse(String(data));
    if (message.type === 'resOpen')
      socket.send(
        JSON.stringify(
          requestMessage('bindGetMeta', 'zB', ledger.token, { conn: message.conn, ...bind(ledger) }),
        ),
      );
    if (message.type !== 'eventGetMeta') return;
    give();
    cids.push(...cidsOf(message));
    heardAt = performance.now();
  });
  socket.on('error', () => undefined);
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  await new Promise((done) => socket.once('open', done));
  const open = requestMessage('reqOpen', 'zO', ledger.token, { conn: { reqId: `q${index}` } });
  socket.send(JSON.stringify(open));
  await Promise.race([bound, closed.then((code) => Promise.reject(new Error(`closed: ${code}`)))]);
  return { socket, cids, closed, heardAt: () => heardAt };
}

async function followers(url: string, users: readonly Ledger[], count: number) {
  const all: Awaited<ReturnType<typeof follower>>[] = [];
  while (all.length < count) {
    const batch = Array.from({ length: Math.min(50, count - all.length) }, (_, at) => {
      const index = all.length + at;
      return follower(url, users[Math.floor(index / SOCKETS_OF_USER)] as Ledger, index);
    });
    all.push(...(await Promise.all(batch)));
  }
  return all;
}

describe('[R15] many sockets', () => {
  test(
    'delivers each change to all sockets, and loses nothing when the server is killed and restarted',
    async () => {
      const count = budget({ commit: 1000, night: 10_000, release: 10_000 });
      const data = await temporaryFolder();
      const behind = await tablesOf(data);
      const notes = await newLedger(behind);
      const users = await Promise.all(
        Array.from({ length: Math.ceil(count / SOCKETS_OF_USER) }, () => newMember(behind, notes, 'read')),
      );
      await behind.db.destroy();
      const server = run({ PORT: '0', FIXPOINT_DATA: data, ...NO_PACE });
      const url = await server.ready;
      const idle = await metric(url, 'process_resident_memory_bytes');
      const all = await followers(url, users, count);
      onTestFinished(() => {
        for (const { socket } of all) socket.terminate();
      });
      expect(await metric(url, 'fixpoint_bindings')).toBe(count);
      const full = await metric(url, 'process_resident_memory_bytes');

      const writer = await httpClient({ url }, notes);
      const sent: string[] = [];
      const late: number[] = [];
      for (let round = 0; round < 5; round += 1) {
        const start = performance.now();
        sent.push((await commit(writer, notes, `change ${round}`)).entry.cid);
        await expect.poll(() => all.every(({ cids }) => cids.length === sent.length)).toBe(true);
        late.push(...all.map(({ heardAt }) => heardAt() - start));
      }
      for (const { cids } of all) expect(cids).toEqual(sent);
      late.sort((a, b) => a - b);

      const begin = performance.now();
      server.child.kill('SIGKILL');
      await Promise.all(all.map(({ closed }) => closed));
      const again = run({ PORT: new URL(url).port, FIXPOINT_DATA: data, ...NO_PACE });
      const back = await followers(await again.ready, users, count);
      const backMs = performance.now() - begin;
      for (const { cids, socket } of back) {
        // The writer's newest entry replaces the previous ones.
        expect(cids).toEqual(sent.slice(-1));
        socket.terminate();
      }
      const figures = {
        sockets: count,
        'memory per socket, kB': Math.round((full - idle) / count / 102.4) / 10,
        'memory of the server, MB': Math.round(full / 1e6),
        'upload, put and delivery to all, p50/p99/max, ms': [0.5, 0.99, 1].map((part) =>
          Math.round(late[Math.min(late.length - 1, Math.floor(part * late.length))] ?? 0),
        ),
        'all back after a kill, ms': Math.round(backMs),
      };
      process.stdout.write(`[R15] ${JSON.stringify(figures)}\n`);
      expect((full - idle) / count).toBeLessThan(60_000);
    },
    patienceMs(),
  );

  test('disconnects a client that does not read, buffers little for it, and loses nothing when it reconnects', async () => {
    const data = await temporaryFolder();
    const behind = await tablesOf(data);
    const notes = await newLedger(behind);
    await behind.db.destroy();
    const server = run({ PORT: '0', FIXPOINT_DATA: data, ...NO_PACE });
    const url = await server.ready;
    const lazy = await socketClient({ url }, notes);
    await lazy.request('bindGetMeta', bind(notes));
    lazy.socket.pause();
    const before = await metric(url, 'process_resident_memory_bytes');
    const sent: string[] = [];
    const isCut = () => metric(url, 'fixpoint_sockets_cut_total{reason="not reading"}');
    while ((await isCut()) === 0 && sent.length < 1000) {
      // Each entry has its own writer, so none is superseded.
      const writer = await httpClient({ url }, notes);
      const metas = Array.from({ length: 15 }, (_, at) =>
        sealedEntry(`${sent.length + at}${'x'.repeat(45_000)}`),
      );
      expect((await putMetas(writer, notes, metas)).type).toBe('resPutMeta');
      sent.push(...metas.map(({ cid }) => cid));
    }
    expect(await isCut()).toBe(1);
    const grown = (await metric(url, 'process_resident_memory_bytes')) - before;
    expect(grown).toBeLessThan(200_000_000);
    lazy.socket.resume();
    await lazy.closed;
    const seen = lazy.events.flatMap(cidsOf);
    const cursor = lazy.events.at(-1).cursor;
    const resumed = await socketClient({ url }, notes);
    await resumed.request('bindGetMeta', { ...bind(notes), cursor });
    await expect.poll(() => seen.length + resumed.events.flatMap(cidsOf).length).toBe(sent.length);
    expect([...seen, ...resumed.events.flatMap(cidsOf)]).toEqual(sent);
    process.stdout.write(
      `[R15] cut after ${sent.length} entries of 60 kB, of which ${seen.length} had been read; memory grew by ${Math.round(grown / 1e6)} MB\n`,
    );
  });
});

/** Returns the number of rows in each table. */
async function rowCounts({ db }: Awaited<ReturnType<typeof tablesOf>>): Promise<Record<string, number>> {
  const tables = await db.introspection.getTables();
  const counted = tables.map(async ({ name }) => {
    const { n } = await db
      .selectFrom(name as 'Metas')
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow();
    return [name, Number(n)] as const;
  });
  return Object.fromEntries(await Promise.all(counted));
}

describe('[R15] a reconnect storm', () => {
  test(
    'reconnects all sockets, including those that had stopped reading, and leaves no rows or memory behind',
    async () => {
      const count = budget({ commit: 500, night: 10_000, release: 10_000 });
      const data = await temporaryFolder();
      const behind = await tablesOf(data);
      onTestFinished(() => behind.db.destroy());
      const notes = await newLedger(behind);
      const users = await Promise.all(
        Array.from({ length: Math.ceil(count / SOCKETS_OF_USER) }, () => newMember(behind, notes, 'read')),
      );
      const server = run({ PORT: '0', FIXPOINT_DATA: data, ...NO_PACE });
      const url = await server.ready;
      const writer = await httpClient({ url }, notes);
      const rss = () => metric(url, 'process_resident_memory_bytes');
      const sent = [(await commit(writer, notes, 'the first, which also stores the key')).entry.cid];
      const all = await followers(url, users, count);
      const [full, rows] = [await rss(), await rowCounts(behind)];
      const deaf = all.filter((_, at) => at % 100 === 0);
      for (const { socket } of deaf) socket.pause();
      for (let round = 0; round < 20; round += 1) {
        sent.push((await commit(writer, notes, `change ${round}`)).entry.cid);
        const isHeard = () => all.every((each) => deaf.includes(each) || each.cids.length === sent.length);
        await expect.poll(isHeard).toBe(true);
      }
      const began = performance.now();
      for (const { socket } of all) socket.terminate();
      const back = await followers(url, users, count);
      const backMs = performance.now() - began;
      onTestFinished(() => {
        for (const { socket } of back) socket.terminate();
      });
      // The writer's newest entry replaces the previous ones.
      for (const { cids } of back) expect(cids).toEqual(sent.slice(-1));
      await expect.poll(() => metric(url, 'fixpoint_bindings')).toBe(count);
      const [fullAgain, rowsAgain] = [await rss(), await rowCounts(behind)];
      // Each change added at most one entry and one object with its size. The traffic of the day is
      // one row. The reconnects added nothing.
      const { Metas = 0, LedgerObjects = 0, ObjectSizes = 0, TenantTraffic = 0, ...others } = rowsAgain;
      expect(TenantTraffic).toBeLessThanOrEqual(1);
      expect({ ...rows, ...others }).toEqual(rows);
      expect(Math.max(Metas, LedgerObjects, ObjectSizes)).toBeLessThanOrEqual(sent.length);
      const figures = {
        sockets: count,
        'stopped reading': deaf.length,
        'all back, ms': Math.round(backMs),
        'memory with all sockets before and after, MB': [full, fullAgain].map((bytes) =>
          Math.round(bytes / 1e6),
        ),
      };
      process.stdout.write(`[R15] ${JSON.stringify(figures)}\n`);
      expect(fullAgain / full).toBeLessThan(1.5);
    },
    patienceMs(),
  );
});

describe('[S2] the gateway', () => {
  test(
    'sends each event only to members of its own tenant, even while members leave',
    async () => {
      const [tenants, events] = [50, budget({ commit: 800, night: 100_000, release: 100_000 })];
      const pace = {
        perUserSecond: 1e6,
        perAddressSecond: 1e6,
        socketsPerAddressMinute: 1e6,
        socketsPerUser: 1e6,
      };
      const cloud = await testCloud({ rates: pace });
      const ledgers = await Promise.all(Array.from({ length: tenants }, () => newLedger(cloud)));
      const own = ledgers.map(() => new Set<string>());
      const readers = await Promise.all(
        ledgers.map(async (ledger) => {
          const [stays, goes] = [
            await newMember(cloud, ledger, 'read'),
            await newMember(cloud, ledger, 'read'),
          ];
          const clients = [await socketClient(cloud, stays), await socketClient(cloud, goes)] as const;
          await Promise.all(clients.map((client) => client.request('bindGetMeta', bind(ledger))));
          return { clients, goes };
        }),
      );
      const writers = await Promise.all(ledgers.map((ledger) => socketClient(cloud, ledger)));
      const bytes = new Uint8Array(Buffer.from('archive'));
      const keys = ledgers.map(() => carKey(bytes));
      for (const [index, ledger] of ledgers.entries())
        expect(await putObject(writers[index] as SocketClient, ledger, carKey(bytes), bytes)).toBe(200);
      const put = async (index: number, each: number) => {
        const [ledger, writer] = [ledgers[index] as Ledger, writers[index] as SocketClient];
        const entry = metaEntry([keys[index] as string], `${index} ${each}`);
        own[index]?.add(entry.cid);
        expect((await putMetas(writer, ledger, [entry], [`zOf${index}`])).type).toBe('resPutMeta');
      };
      const gone = readers.map(() => Number.POSITIVE_INFINITY);
      const rounds = events / tenants;
      for (let round = 0; round < rounds; round += 1) {
        if (round === Math.floor(rounds / 2)) {
          const leaving = readers.map(({ goes }) => goes.userId);
          await cloud.db.deleteFrom('TenantUsers').where('userId', 'in', leaving).execute();
          await Promise.all(readers.map(({ clients }) => clients[1].closed));
          for (const [index, { clients }] of readers.entries()) gone[index] = clients[1].events.length;
        }
        await Promise.all(ledgers.map((_, index) => put(index, round)));
      }
      for (const [index, { clients }] of readers.entries()) {
        const mine = own[index] as Set<string>;
        const last = metaEntry([keys[index] as string], `${index} ${rounds - 1}`).cid;
        await expect.poll(() => clients[0].events.flatMap(cidsOf).includes(last)).toBe(true);
        for (const client of clients) {
          for (const cid of client.events.flatMap(cidsOf)) expect(mine.has(cid)).toBe(true);
          for (const event of client.events)
            expect(event.meta.keys.filter((key: string) => key !== `zOf${index}`)).toEqual([]);
        }
        expect(clients[1].events.length).toBe(gone[index]);
      }
    },
    patienceMs(),
  );
});
