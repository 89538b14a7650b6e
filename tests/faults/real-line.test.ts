/** Databases, a server in a process of its own, and between them a line that fails. Clocks of the clients go faster, the line does not. */
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { newLedger, tablesOf, temporaryFolder } from '../../packages/cloud/tests/cloud.fixture.ts';
import { build, run } from '../../packages/cloud/tests/process.fixture.ts';
import type { Database } from '../../packages/engine/src/database/database.ts';
import { openDatabase } from '../../packages/engine/src/database/open.ts';
import { memoryPlatform } from '../../packages/engine/src/platform/memory-platform.ts';
import { nodePlatform } from '../../packages/engine/src/platform/node/node-platform.ts';
import type { Network } from '../../packages/engine/src/ports/network.ts';
import type { Platform } from '../../packages/engine/src/ports/platform.ts';
import type { Attached } from '../../packages/engine/src/sync/remote.ts';
import { toCloud } from '../../packages/engine/src/sync/to-cloud.ts';
import { seededRandom } from '../../packages/engine/src/testing/seeded-random.ts';
import { budget, patienceMs, seed } from '../../packages/engine/tests/budget.fixture.ts';
import { type FaultProxy, type Faults, faultProxy } from './fault-proxy.fixture.ts';

beforeAll(build, 120_000);

/** So much faster time passes for a client: what takes it half a minute to notice takes four seconds. */
const HASTE = 8;
const ROUNDS = budget({ commit: 1, night: 100, release: 400 });
const KILLS = budget({ commit: 3, night: 200, release: 500 });
const NO_PACE = { RATE_PER_USER: '1000000', RATE_PER_ADDRESS: '1000000', RATE_OF_SOCKETS: '1000000' };

function hurried(): Platform {
  const platform = memoryPlatform(nodePlatform('unused'));
  const { time } = platform;
  const network: Network = {
    request: (asked) => platform.network.request({ ...asked, timeoutMs: asked.timeoutMs / HASTE }),
    connect: (url, events, timeoutMs) => platform.network.connect(url, events, timeoutMs / HASTE),
  };
  const startMs = time.now();
  const now = () => startMs + (time.now() - startMs) * HASTE;
  return { ...platform, network, time: { ...time, now, after: (ms, fn) => time.after(ms / HASTE, fn) } };
}

interface Client {
  readonly db: Database;
  readonly attached: Attached;
}

async function arranged() {
  const data = await temporaryFolder();
  const behind = await tablesOf(data);
  const notes = await newLedger(behind);
  await behind.db.destroy();
  const start = async () => {
    const server = run({ PORT: '0', FIXPOINT_DATA: data, ...NO_PACE });
    return { server, url: await server.ready };
  };
  const client = async (base: string): Promise<Client> => {
    const db = openDatabase('notes', hurried());
    onTestFinished(() => db.close());
    return { db, attached: await db.attach(toCloud({ base, ...notes })) };
  };
  return { start, client };
}

const shown = async ({ db }: Client) => (await db.allDocs()).rows.map(({ key }) => key).sort();
const untilEqual = (clients: readonly Client[]) =>
  expect
    .poll(
      () => [
        new Set(clients.map(({ db }) => db.head.join())).size,
        ...clients.map(({ attached }) => attached.status().state),
      ],
      { timeout: 60_000, interval: 20 },
    )
    .toEqual([1, ...clients.map(() => 'in-sync')]);

interface Harm {
  readonly name: string;
  readonly faults: Partial<Faults>;
  readonly cuts?: true;
  /** What the line counts when it was felt. */
  readonly felt?: keyof FaultProxy['done'];
}
const HARMS: readonly Harm[] = [
  { name: 'slow', faults: { delayMs: [5, 60] } },
  { name: 'cut again and again', faults: {}, cuts: true },
  { name: 'cut in the middle of messages and archives', faults: { cutAfterBytes: 6000 }, felt: 'cut' },
  { name: 'refusing', faults: { isRefused: true }, cuts: true, felt: 'refused' },
  { name: 'silent', faults: { loss: 'silent' }, felt: 'lost' },
  { name: 'half open: deaf', faults: { loss: 'deaf' }, felt: 'lost' },
  { name: 'half open: mute', faults: { loss: 'mute' }, felt: 'lost' },
  { name: 'doubling', faults: { doubled: 0.5 }, felt: 'doubled' },
  { name: 'reordering', faults: { reordered: 0.5 }, felt: 'reordered' },
];

test('[R13] a line that is slow, cut, silent, half open, doubling or reordering: once it is whole, all is equal', {
  timeout: patienceMs(),
}, async () => {
  const { start, client } = await arranged();
  const { url } = await start();
  const line = await faultProxy(url, seed());
  const clients = [await client(line.url), await client(url), await client(line.url)];
  const random = seededRandom(seed());
  const ids: string[] = [];
  const write = async (text: string) => {
    const { db } = clients[random.below(clients.length)] as Client;
    const _id = `${text} ${ids.length}`;
    await db.put({ _id });
    ids.push(_id);
  };
  for (let round = 0; round < ROUNDS; round++)
    for (const { name, faults, cuts, felt } of HARMS) {
      const before = { ...line.done };
      line.set(faults);
      for (let n = 0; n < 6; n++) {
        await write(`${round} ${name}`);
        if (cuts === true) line.cut();
        await new Promise((resolve) => setTimeout(resolve, random.below(40)));
      }
      if (felt !== undefined)
        await expect.poll(() => line.done[felt], { timeout: 20_000 }).toBeGreaterThan(before[felt]);
      line.set();
      await write(`${round} after ${name}`);
      await untilEqual(clients);
      expect(await shown(clients[0] as Client)).toEqual(ids.slice().sort());
    }
  for (const one of clients) expect(await shown(one)).toEqual(ids.slice().sort());
});

test('[R14][R15] the server is killed again and again while databases write: nothing that was in sync is lost, and all come back', {
  timeout: patienceMs(),
}, async () => {
  const { start, client } = await arranged();
  let { server, url } = await start();
  const line = await faultProxy(url, seed());
  const random = seededRandom(seed());
  const clients = [await client(line.url), await client(line.url), await client(line.url)];
  const ids: string[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    const writers = clients.map(async ({ db }, at) => {
      for (let n = 0; n < 8; n++) {
        const _id = `${kill}-${at}-${n}`;
        await db.put({ _id, text: 'x'.repeat(random.below(3000)) });
        ids.push(_id);
      }
    });
    await new Promise((resolve) => setTimeout(resolve, random.below(120)));
    server.child.kill('SIGKILL');
    await server.ended;
    await Promise.all(writers);
    ({ server, url } = await start());
    line.lead(url);
    await untilEqual(clients);
  }
  const fresh = await client(line.url);
  await untilEqual([...clients, fresh]);
  expect(await shown(fresh)).toEqual(ids.sort());
});
