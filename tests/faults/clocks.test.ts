/** Changes the clocks of devices by up to a day while databases sync through the real gateway. */
import { expect, test } from 'vitest';
import type { Attached } from '../../packages/engine/src/sync/remote.ts';
import { type SeededRandom, seededRandom } from '../../packages/engine/src/testing/seeded-random.ts';
import { budget, patienceMs, seed } from '../../packages/engine/tests/budget.fixture.ts';
import { haveSameHead, type Replica } from '../../packages/engine/tests/sync-world.fixture.ts';
import { Acknowledged, expectConverged } from './converged.fixture.ts';
import { gatewayWorld } from './gateway-world.fixture.ts';

const SCHEDULES = budget({ commit: 15, night: 500, release: 2000 });
const STEPS = 20;
const IDS = ['a', 'b', 'c'];
const HOUR_MS = 3_600_000;
const JUMPS_MS = [-24 * HOUR_MS, -HOUR_MS, -1000, 1000, HOUR_MS, 24 * HOUR_MS];
/** Time to recover from faults that both ends notice. */
const HEALED_MS = 5000;
const pick = <T>(random: SeededRandom, list: readonly T[]): T => list[random.below(list.length)] as T;

test('[R16][R13][P1][P5] loses nothing and delays no device when device clocks jump by up to a day during sync', {
  timeout: patienceMs(),
}, async () => {
  const here = await gatewayWorld();
  const { time } = here;
  for (let schedule = 0; schedule < SCHEDULES; schedule++) {
    const random = seededRandom(seed() + schedule);
    const { replica, token, poison } = await here.ledger(seed() + schedule);
    const ahead = [0, 0, 0];
    const replicas: Replica[] = ahead.map((_, at) => replica({ aheadMs: () => ahead[at] ?? 0 }));
    const syncs: Attached[] = [];
    for (const one of replicas) syncs.push(await one.attach({ token }));
    const acknowledged = new Acknowledged();
    let isPoisoned = false;
    for (let n = 0; n < STEPS; n++) {
      const at = random.below(replicas.length);
      const { db, line } = replicas[at] as Replica;
      const kind = random.below(10);
      if (kind < 4) {
        const doc = { _id: pick(random, IDS), n };
        await db.put(doc);
        acknowledged.put(at, doc);
      } else if (kind < 7) ahead[at] = (ahead[at] ?? 0) + pick(random, JUMPS_MS);
      else if (kind === 7) line.set(pick(random, ['up', 'cut']));
      else if (kind === 8 && !isPoisoned) {
        isPoisoned = true;
        await poison();
      } else await time.pass(pick(random, [10, 300, 3000]));
    }
    for (const { line } of replicas) line.set('up');
    const healedAt = time.now();
    const poisoned = isPoisoned ? 1 : 0;
    await time.until(
      async () =>
        syncs.map((sync) => sync.status()).every((one) => one.toSend === 0 && one.toFetch === poisoned) &&
        (await haveSameHead(replicas)),
    );
    try {
      expect(time.now() - healedAt).toBeLessThan(HEALED_MS);
      await expectConverged(replicas, IDS, acknowledged);
      for (const { reports } of replicas) expect(reports).toEqual([]);
    } catch (cause) {
      throw new Error(`schedule ${schedule}, FIXPOINT_SEED=${seed()}`, { cause });
    }
    for (const { db } of replicas) await time.run(db.close());
  }
  expect(here.reports).toEqual([]);
});
