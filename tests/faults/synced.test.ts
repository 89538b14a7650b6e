/** Expects `synced()` to resolve at the real gateway even if other devices never stop writing. */
import { expect, test } from 'vitest';
import { seed } from '../../packages/engine/tests/budget.fixture.ts';
import type { Replica } from '../../packages/engine/tests/sync-world.fixture.ts';
import { type GatewayWorld, gatewayWorld } from './gateway-world.fixture.ts';

const EVERY_MS = 200;
const WRITERS = 3;
/**
 * The time of nine round trips of at most 120 ms: three of the upload that is already in progress,
 * one to list, two to fetch, three to send.
 */
const ROUND_TRIPS_MS = 9 * 120;

/** Writes five times a second until the returned function is called. */
function writeSteadily({ time }: GatewayWorld, { db }: Replica, name: string): () => void {
  let isOver = false;
  let n = 0;
  const next = () => {
    if (isOver) return;
    n += 1;
    void db.put({ _id: `${name}-${n}`, n });
    time.after(EVERY_MS, next);
  };
  next();
  return () => {
    isOver = true;
  };
}

test.each([
  ['a device that writes too, over sockets', true, true],
  ['a device that only reads, over sockets', true, false],
  ['a device that writes too, by polling', false, true],
])('[R16] resolves synced() within a few round trips for %s', async (_, isStreamOffered, alsoWrites) => {
  const here = await gatewayWorld();
  here.offerStream(isStreamOffered);
  const { time } = here;
  const there = await here.ledger(seed());
  const writers = Array.from({ length: WRITERS }, () => there.replica());
  const watcher = there.replica();
  const syncs = await Promise.all([watcher, ...writers].map((one) => one.attach()));
  const [sync] = syncs;
  if (sync === undefined) throw new Error('not attached');
  await time.run(sync.synced());
  const stops = writers.map((writer, at) => writeSteadily(here, writer, `w${at}`));
  if (alsoWrites) stops.push(writeSteadily(here, watcher, 'own'));
  await time.pass(5000);
  const took: number[] = [];
  for (let round = 0; round < 10; round += 1) {
    const start = time.now();
    await time.run(sync.synced());
    took.push(time.now() - start);
    await time.pass(300);
  }
  for (const stop of stops) stop();
  expect(Math.max(...took)).toBeLessThan(ROUND_TRIPS_MS);
});

test('[R16] waits in synced() for all data that was durable or listed at the time of the call', async () => {
  const here = await gatewayWorld();
  const { time } = here;
  const there = await here.ledger(seed());
  const [a, b, c] = [there.replica(), there.replica(), there.replica()];
  const [syncA, syncB] = await Promise.all([a.attach(), b.attach(), c.attach()]);
  const stop = writeSteadily(here, c, 'c');
  for (let round = 0; round < 10; round += 1) {
    await time.run(a.db.put({ _id: `a${round}`, round }));
    await time.run(syncA.synced());
    await time.run(syncB.synced());
    expect(await b.db.get(`a${round}`)).toMatchObject({ round });
  }
  stop();
});
