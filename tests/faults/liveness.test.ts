/**
 * Runs databases with the real gateway while lines and processes fail and some archives are
 * unreadable.
 */
import { expect, test } from 'vitest';
import type { Attached } from '../../packages/engine/src/sync/remote.ts';
import { type SeededRandom, seededRandom } from '../../packages/engine/src/testing/seeded-random.ts';
import type { LineState } from '../../packages/engine/src/testing/simulated-network.ts';
import { budget, patienceMs, seed } from '../../packages/engine/tests/budget.fixture.ts';
import { haveSameHead, type Replica } from '../../packages/engine/tests/sync-world.fixture.ts';
import { Acknowledged, expectConverged } from './converged.fixture.ts';
import { type GatewayWorld, gatewayWorld } from './gateway-world.fixture.ts';

const SCHEDULES = budget({ commit: 100, night: 5000, release: 20_000 });
const STEPS = 24;
const IDS = ['a', 'ab', 'b', 'c', 'ca', 'd'];
/**
 * Time to recover from faults that both ends notice. For other faults, the time to detect them is
 * added.
 */
const HEALED_MS = 5000;
const NOTICED_MS = 30_000;
const TOLD: readonly LineState[] = ['up', 'cut'];
const UNTOLD: readonly LineState[] = ['up', 'cut', 'silent', 'deaf', 'mute'];

interface Run {
  readonly here: GatewayWorld;
  readonly random: SeededRandom;
  readonly replicas: Replica[];
  readonly syncs: Attached[];
  readonly acknowledged: Acknowledged;
  readonly faults: readonly LineState[];
  poison(): Promise<void>;
  poisoned: number;
  n: number;
}

const pick = <T>(random: SeededRandom, list: readonly T[]): T => list[random.below(list.length)] as T;

async function write(run: Run, at: number): Promise<void> {
  const { random, acknowledged } = run;
  const { db } = run.replicas[at] as Replica;
  const doc = { _id: pick(random, IDS), n: run.n++ };
  if (random.below(5) === 0) {
    await db.del(doc._id);
    return acknowledged.del(at, doc._id);
  }
  const docs = random.below(4) === 0 ? IDS.map((_id) => ({ _id, n: doc.n })) : [doc];
  await db.bulk(docs);
  for (const one of docs) acknowledged.put(at, one);
}

async function step(run: Run): Promise<void> {
  const { here, random, replicas, syncs } = run;
  const at = random.below(replicas.length);
  const replica = replicas[at] as Replica;
  const kind = random.below(100);
  if (kind < 40) await write(run, at);
  else if (kind < 55) replica.line.set(pick(random, run.faults));
  else if (kind < 65) replica.line.cutAfter(random.below(12));
  else if (kind < 70) here.kill();
  else if (kind < 75) here.killAfter(random.below(10));
  else if (kind < 80) {
    replicas[at] = kind < 78 ? replica.crash() : await replica.reopen();
    syncs[at] = await (replicas[at] as Replica).attach();
  } else if (kind < 82) await here.time.run(replica.db.compact());
  else if (kind < 84 && run.poisoned < 1) {
    run.poisoned += 1;
    await run.poison();
  } else await here.time.pass(pick(random, [1, 30, 300, 3000]));
}

async function healed({ here, replicas, syncs, poisoned }: Run): Promise<number> {
  for (const { line } of replicas) line.set('up');
  here.killAfter(Number.POSITIVE_INFINITY);
  const healedAt = here.time.now();
  const isDone = (sync: Attached) => {
    const { state, toSend, toFetch } = sync.status();
    return poisoned === 0 ? state === 'in-sync' : toSend === 0 && toFetch === poisoned;
  };
  await here.time.until(async () => syncs.every(isDone) && (await haveSameHead(replicas)));
  return here.time.now() - healedAt;
}

test.each([
  ['over sockets', TOLD, true],
  ['over sockets, with lines that are half open or carry nothing', UNTOLD, true],
  ['by polling', TOLD, false],
] as const)(
  '[R13][R14][P1][P2][P3][P4][P5] through the real gateway, %s: converges after the last fault, and loses no acknowledged write',
  { timeout: patienceMs() },
  async (_, faults, isStreamOffered) => {
    const here = await gatewayWorld();
    here.offerStream(isStreamOffered);
    for (let schedule = 0; schedule < SCHEDULES / 3; schedule++) {
      const random = seededRandom(seed() + schedule);
      const { replica, poison } = await here.ledger(seed() + schedule, { doubled: 0.1, reordered: 0.1 });
      const replicas = Array.from({ length: 3 }, () => replica());
      const syncs = await Promise.all(replicas.map((one) => one.attach()));
      const run: Run = {
        here,
        random,
        replicas,
        syncs,
        acknowledged: new Acknowledged(),
        faults,
        poison,
        poisoned: 0,
        n: 1,
      };
      await run.replicas[0]?.db.put({ _id: 'a', n: 0 });
      for (let n = 0; n < STEPS; n++) await step(run);
      const simulatedMs = await healed(run);
      run.replicas.push(replica());
      run.syncs.push(await (run.replicas.at(-1) as Replica).attach());
      await healed(run);
      try {
        expect(simulatedMs).toBeLessThan(HEALED_MS + (faults === UNTOLD ? NOTICED_MS : 0));
        await expectConverged(run.replicas, IDS, run.acknowledged);
        for (const { reports } of run.replicas) expect(reports).toEqual([]);
      } catch (cause) {
        throw new Error(`schedule ${schedule}, FIXPOINT_SEED=${seed()}`, { cause });
      }
      for (const { db } of run.replicas) await here.time.run(db.close());
    }
    expect(here.reports).toEqual([]);
  },
);
