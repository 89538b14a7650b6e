/**
 * Subscribers are notified of local writes, writes of other tabs, and writes that arrive through
 * the gateway.
 */
import { expect, test } from 'vitest';
import type { Attached } from '../../packages/engine/src/sync/remote.ts';
import { seededRandom } from '../../packages/engine/src/testing/seeded-random.ts';
import { budget, patienceMs, seed } from '../../packages/engine/tests/budget.fixture.ts';
import { haveSameHead, type Replica } from '../../packages/engine/tests/sync-world.fixture.ts';
import { gatewayWorld } from './gateway-world.fixture.ts';

const SEEDS = budget({ commit: 500, night: 20_000, release: 20_000 });
const STEPS = 10;
const IDS = ['a', 'b', 'c', 'd'];

type Heard = Map<string, Record<string, unknown>>;

/** Subscribes, then reads all documents. Returns the resulting view. */
async function follow({ db }: Replica) {
  const known: Heard = new Map();
  let afterStop = 0;
  let isStopped = false;
  const stop = db.subscribe((docs) => {
    if (isStopped) afterStop += 1;
    for (const doc of docs)
      if (doc['_deleted'] === true) known.delete(doc._id);
      else known.set(doc._id, doc);
  }, true);
  // No write is lost between the two calls: the result of allDocs is at least as new as the
  // subscription.
  for (const { value } of (await db.allDocs()).rows) if (!known.has(value._id)) known.set(value._id, value);
  return {
    known,
    stop: () => {
      isStopped = true;
      stop();
    },
    afterStop: () => afterStop,
  };
}

const contentOf = async ({ db }: Replica) =>
  Object.fromEntries((await db.allDocs()).rows.map(({ value }) => [value._id, value]));
const sorted = (known: Heard) => Object.fromEntries([...known].sort(([a], [b]) => (a < b ? -1 : 1)));

test('[R12] notifies subscribers of every change: local writes, writes of other tabs, synced writes, writes while offline', {
  timeout: patienceMs(),
}, async () => {
  const here = await gatewayWorld();
  const { time } = here;
  for (let run = 0; run < SEEDS; run++) {
    const random = seededRandom(seed() + run);
    const { replica } = await here.ledger(seed() + run, { latencyMs: [1, 30], doubled: 0.05 });
    const [a, b] = [replica(), replica()] as const;
    const tab = a.tab();
    const devices = [a, tab, b] as const;
    const pick = <T>(list: readonly T[]) => list[random.below(list.length)] as T;
    let n = 0;
    const write = async () => {
      const { db } = pick(devices);
      const _id = pick(IDS);
      n += 1;
      await (random.below(4) === 0 ? db.del(_id) : db.put({ _id, n }));
    };
    // Some devices write before they have synced with each other. Followers start after these
    // writes.
    await write();
    await write();
    const followers = [await follow(a), await follow(b), await follow(tab)];
    const bad = { calls: 0 };
    a.db.subscribe(() => {
      bad.calls += 1;
      throw new Error('a bad subscriber');
    });
    const leaver = await follow(b);
    const syncs: Attached[] = [await a.attach(), await b.attach()];
    for (let step = 0; step < STEPS; step++) {
      const kind = random.below(10);
      if (kind < 5) await write();
      else if (kind === 5) pick([a, b]).line.set(pick(['cut', 'up', 'up']));
      else if (kind === 6) here.kill();
      else await time.pass(pick([5, 60, 600]));
      if (step === STEPS >> 1) leaver.stop();
    }
    for (const { line } of devices) line.set('up');
    await time.until(
      async () => syncs.every((sync) => sync.status().state === 'in-sync') && (await haveSameHead(devices)),
    );
    const content = await contentOf(a);
    try {
      for (const [at, { known }] of followers.entries()) {
        await time
          .until(() => JSON.stringify(sorted(known)) === JSON.stringify(content))
          .catch(() => undefined);
        expect([at, sorted(known)]).toEqual([at, content]);
      }
      expect(await contentOf(b)).toEqual(content);
      expect(leaver.afterStop()).toBe(0);
      expect(a.reports.length).toBe(bad.calls);
      expect([...tab.reports, ...b.reports]).toEqual([]);
    } catch (cause) {
      throw new Error(`run ${run}, FIXPOINT_SEED=${seed()}`, { cause });
    }
    for (const { db } of devices) await time.run(db.close());
  }
  expect(here.reports).toEqual([]);
});
