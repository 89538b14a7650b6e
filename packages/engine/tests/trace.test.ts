import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { seededRandom } from '../src/testing/seeded-random.ts';
import { budget, patienceMs, seed } from './budget.fixture.ts';
import { contentOf, type Replica, world } from './sync-world.fixture.ts';

const RUNS = budget({ commit: 20, night: 1000, release: 10_000 });
const STEPS = 60;

/**
 * Runs two replicas. Returns a hash of their requests in order, the elapsed time, their heads and
 * their documents.
 */
async function traceOf(runSeed: number): Promise<string> {
  const here = world({ seed: runSeed, latencyMs: [1, 150], doubled: 0.1 });
  const chance = seededRandom(runSeed + 1);
  const replicas: Replica[] = [here.replica(), here.replica()];
  const syncs = await Promise.all(replicas.map((replica) => replica.attach()));
  for (let step = 0; step < STEPS; step++) {
    const replica = replicas[chance.below(2)] as Replica;
    const action = chance.below(8);
    if (action < 4) await replica.db.put({ _id: `doc-${chance.below(5)}`, step });
    else if (action === 4) await replica.db.del(`doc-${chance.below(5)}`);
    else if (action === 5) replica.line.set(chance.below(2) === 0 ? 'cut' : 'up');
    else await here.time.pass(chance.below(3000));
  }
  for (const { line } of replicas) line.set('up');
  await here.time.until(() => syncs.every((sync) => sync.status().state === 'in-sync'));
  const contents = await Promise.all(replicas.map(({ db }) => contentOf(db)));
  return createHash('sha256')
    .update(JSON.stringify([here.gateway.log, here.time.now(), contents]))
    .digest('hex');
}

test('[R18] produces the same trace for the same seed, and a different trace for a different seed', {
  timeout: patienceMs(),
}, async () => {
  const traces = new Set<string>();
  for (let run = 0; run < RUNS; run++) {
    const first = await traceOf(seed() + run);
    expect(await traceOf(seed() + run)).toBe(first);
    traces.add(first);
  }
  expect(traces.size).toBe(RUNS);
});
