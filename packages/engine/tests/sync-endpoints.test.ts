import { expect, test } from 'vitest';
import type { Attached } from '../src/sync/remote.ts';
import { haveSameHead, type World, world } from './sync-world.fixture.ts';

const SOCKETS = ['ws://one.test/ws', 'wss://two.test/under/a/path/ws', '/fixpoint/ws'];
const REQUESTS = ['http://one.test/fp', 'https://two.test/under/a/path/fp', '/fixpoint/fp'];
const OWN = 'gateway.test/fixpoint/';

/**
 * Attaches `count` replicas, one after another, and waits until all of them have the document of
 * the first replica.
 */
async function attachAll({ time, replica }: World, count: number) {
  const replicas = Array.from({ length: count }, () => replica());
  await replicas[0]?.db.put({ _id: 'x' });
  const syncs: Attached[] = [];
  for (const one of replicas) syncs.push(await one.attach());
  await time.until(() => syncs.every((sync) => sync.status().state === 'in-sync'));
  await time.until(() => haveSameHead(replicas));
  return replicas;
}

/** Returns the endpoints that the replicas used. */
const used = (reached: readonly string[]): string[] =>
  ['one.test', 'two.test', OWN].filter((place) => reached.some((url) => url.includes(place)));

test('[W1] chooses a random endpoint, given as a path or an address, for each websocket', async () => {
  const here = world();
  here.gateway.endpoints = { http: ['/fp'], socket: SOCKETS };
  await attachAll(here, 20);
  expect(used(here.gateway.reached)).toEqual(['one.test', 'two.test', OWN]);
  expect(here.gateway.reached).toContain('ws://one.test/ws');
  expect(here.gateway.reached).toContain('wss://two.test/under/a/path/ws');
  expect(here.gateway.reached).toContain(`ws://${OWN}ws`);
});

test('[W1] chooses one endpoint for all requests of a connection', async () => {
  const here = world();
  here.gateway.capabilities = ['reqRes'];
  here.gateway.endpoints = { http: REQUESTS, socket: [] };
  await attachAll(here, 20);
  expect(used(here.gateway.reached)).toEqual(['one.test', 'two.test', OWN]);
  const alone = world({ seed: 3 });
  alone.gateway.capabilities = ['reqRes'];
  alone.gateway.endpoints = { http: REQUESTS, socket: [] };
  await attachAll(alone, 1);
  expect(used(alone.gateway.reached)).toHaveLength(1);
});

test.each([
  ['websockets', ['reqRes', 'stream']],
  ['requests', ['reqRes']],
])('[R13] connects after a few tries when one endpoint is unreachable: %s', async (_, capabilities) => {
  const here = world();
  const { gateway } = here;
  gateway.capabilities = capabilities;
  gateway.endpoints = { http: REQUESTS, socket: SOCKETS };
  const { accept, request } = gateway;
  gateway.accept = (url, socket) => {
    if (url.includes('one.test')) throw new Error('gone');
    return accept(url, socket);
  };
  gateway.request = (asked) =>
    asked.url.includes('one.test') ? Promise.reject(new Error('gone')) : request(asked);
  const begun = here.time.now();
  const replicas = await attachAll(here, 10);
  expect(here.time.now() - begun).toBeLessThan(30_000);
  for (const { db, reports } of replicas) {
    expect((await db.allDocs()).rows).toHaveLength(1);
    expect(reports).toEqual([]);
  }
});

test('uses the base address of a gateway that announces no endpoints', async () => {
  const here = world();
  here.gateway.endpoints = { http: [], socket: [] };
  await attachAll(here, 2);
  expect(here.gateway.reached).toContain('ws://gateway.test/ws');
});
