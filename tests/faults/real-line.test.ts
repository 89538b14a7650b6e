/**
 * Connects databases to a server in a separate process through a faulty line. The clocks of clients
 * run fast, but the line runs in real time.
 */
import { beforeAll, expect, test } from 'vitest';
import { build } from '../../packages/cloud/tests/process.fixture.ts';
import { seededRandom } from '../../packages/engine/src/testing/seeded-random.ts';
import { budget, patienceMs, seed } from '../../packages/engine/tests/budget.fixture.ts';
import { type FaultProxy, type Faults, faultProxy } from './fault-proxy.fixture.ts';
import { arranged, type Client, shown, untilEqual } from './hurried.fixture.ts';

beforeAll(build);

const ROUNDS = budget({ commit: 1, night: 100, release: 400 });
const KILLS = budget({ commit: 3, night: 200, release: 500 });

interface Harm {
  readonly name: string;
  readonly faults: Partial<Faults>;
  readonly cuts?: true;
  /** Fault counter of the line. It is above zero once the fault has affected a message. */
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

test('[R13] converges after a line was slow, cut, silent, half open, duplicating or reordering', {
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
      // The round sends few messages, so the fault may not have affected any of them.
      const isFelt = async () => {
        if (felt === undefined || line.done[felt] > before[felt]) return true;
        await write(`${round} ${name} on`);
        return false;
      };
      await expect.poll(isFelt, { interval: 500 }).toBe(true);
      line.set();
      await write(`${round} after ${name}`);
      await untilEqual(clients);
      expect(await shown(clients[0] as Client)).toEqual(ids.slice().sort());
    }
  for (const one of clients) expect(await shown(one)).toEqual(ids.slice().sort());
});

test('[R14][R15] loses no synced data when the server is killed repeatedly, and reconnects every database', {
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
