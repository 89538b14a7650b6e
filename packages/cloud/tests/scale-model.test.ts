/** Compares the simulated fan-out of `bench/cloud/scale-model.mjs` with the real one. */
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { needs, type SimulatedLoad, simulate, simulateNeeds } from '../../../bench/cloud/scale-model.mjs';
import { createListeners, type HintBus, localBus } from '../src/bus/hint-bus.ts';
import { createFanOut } from '../src/gateway/following/fan-out.ts';
import { readMetas } from '../src/tables/sync/meta-rows.ts';
import { putMetas } from '../src/tables/sync/put-metas.ts';
import { type Ledger, newLedger, tablesOf, temporaryFolder } from './cloud.fixture.ts';

/** Runs real gateways over the same tables, and counts what the simulation counts. */
async function realGateways(followers: SimulatedLoad['followers'], gateways: number, isDeaf = false) {
  const behind = await tablesOf(await temporaryFolder());
  const { tell, subscribe } = createListeners();
  const bus: HintBus = {
    ...localBus(),
    publish: tell,
    subscribe: isDeaf ? () => () => undefined : subscribe,
  };
  const counts = { reads: 0, rowsRead: 0, events: 0, rowsSent: 0 };
  const gate = { passing: Promise.resolve(), waiting: 0 };
  const faults: unknown[] = [];
  const all = Array.from({ length: gateways }, () =>
    createFanOut({
      db: behind.db,
      rights: { accessTo: async () => 'read', forget: () => undefined },
      listings: {
        read: async (...asked) => {
          const page = { ...(await readMetas(behind.db, ...asked)), withheld: [], missingFiles: [] };
          counts.reads += 1;
          counts.rowsRead += page.rows.length;
          gate.waiting += 1;
          await gate.passing;
          gate.waiting -= 1;
          return page;
        },
        look: async () => false,
        changed: async () => undefined,
        settle: async () => undefined,
      },
      bus,
      watch: { delivered: () => undefined },
      now: () => Date.now(),
      report: (cause) => void faults.push(cause),
    }),
  );
  onTestFinished(async () => {
    for (const one of all) await one.stop();
    await behind.db.destroy();
    expect(faults).toEqual([]);
  });
  const ledgers: Ledger[] = [];
  for (const places of followers) {
    const ledger = await newLedger(behind);
    ledgers.push(ledger);
    for (const [n, gateway] of places.entries()) {
      const userId = `u${n}`;
      const { tenant, ledger: id } = ledger;
      const binding = { userId, tenant, ledger: id, writer: userId, head: { tid: userId }, cursor: 0 };
      all[gateway]?.follow(binding, {
        send: (text) => {
          counts.events += 1;
          counts.rowsSent += (JSON.parse(text) as { meta: { metas: unknown[] } }).meta.metas.length;
        },
        cut: () => void faults.push('cut'),
      });
    }
  }
  const settled = async () => {
    await new Promise((done) => setImmediate(done));
    for (const one of all) await one.settled();
  };
  let made = 0;
  const commit = async (ledger: number, times = 1) => {
    const { tenant, ledger: id } = ledgers[ledger] as Ledger;
    const metas = Array.from({ length: times }, () => {
      made += 1;
      return { cid: `c${made}`, parents: [], data: 'data' };
    });
    // Each from another writer, because the rows of a writer replace earlier ones of theirs.
    await putMetas(behind.db, { tenant, ledger: id }, `writer ${made}`, { metas, keys: [] }, 0);
    bus.publish(id);
  };
  await settled();
  // Each follower caused a first read of its own.
  Object.assign(counts, { reads: 0, rowsRead: 0, events: 0, rowsSent: 0 });
  return { counts, gate, commit, settled };
}

const FOLLOWERS = [[0, 0, 1], [1], []];
const countsOf = (load: Omit<SimulatedLoad, 'gateways' | 'followers'>) => {
  const { reads, rowsRead, events, rowsSent } = simulate({ gateways: 2, followers: FOLLOWERS, ...load });
  return { reads, rowsRead, events, rowsSent };
};

describe('the simulated fan-out', () => {
  test('reads and sends as the real one for commits one after another', async () => {
    const { counts, commit, settled } = await realGateways(FOLLOWERS, 2);
    const order = [0, 1, 2, 0, 0, 1];
    for (const ledger of order) {
      await commit(ledger);
      await settled();
    }
    expect(counts).toEqual(countsOf({ commits: order.map((ledger, n) => ({ ledger, atMs: n * 100 })) }));
    expect(counts).toEqual({ reads: 8, rowsRead: 8, events: 11, rowsSent: 11 });
  });

  test('combines commits that arrive during a read, as the real one', async () => {
    const { counts, gate, commit, settled } = await realGateways(FOLLOWERS, 2);
    let open: () => void = () => undefined;
    gate.passing = new Promise<void>((resolve) => {
      open = resolve;
    });
    await commit(0);
    await expect.poll(() => gate.waiting).toBe(2);
    for (let n = 0; n < 20; n += 1) await commit(0);
    open();
    await settled();
    const commits = Array.from({ length: 21 }, (_, n) => ({ ledger: 0, atMs: n * 2 }));
    const simulated = countsOf({ readMs: 100, commits });
    expect(counts).toEqual(simulated);
    expect(counts).toEqual({ reads: 4, rowsRead: 42, events: 6, rowsSent: 63 });
  });

  test('delivers rows without any hint with the next sweep, page by page, as the real one', async () => {
    const { counts, commit } = await realGateways(FOLLOWERS, 2, true);
    await commit(0, 450);
    const commits = Array.from({ length: 450 }, () => ({ ledger: 0, atMs: 0 }));
    const simulated = countsOf({ lostHints: 1, commits });
    await expect.poll(() => counts.rowsSent).toBe(simulated.rowsSent);
    expect(counts).toEqual(simulated);
    expect(counts).toMatchObject({ reads: 6, rowsRead: 900, rowsSent: 1350 });
  });

  test('sends each follower each row once, whatever is lost or late', () => {
    const load = fc.record({
      gateways: fc.integer({ min: 1, max: 4 }),
      followers: fc.array(fc.array(fc.nat(3), { maxLength: 5 }), { minLength: 1, maxLength: 4 }),
      commits: fc.array(fc.record({ atMs: fc.nat(3000), ledger: fc.nat(3) }), { maxLength: 40 }),
      seed: fc.nat(),
      lostHints: fc.constantFrom(0, 0.5, 1),
      readMs: fc.constantFrom(0, 1, 700, 2500),
      pageRows: fc.integer({ min: 1, max: 5 }),
    });
    fc.assert(
      fc.property(load, ({ gateways, followers, commits, ...rest }) => {
        const given = {
          gateways,
          followers: followers.map((places) => places.map((one) => one % gateways)),
          commits: commits
            .map(({ atMs, ledger }) => ({ atMs, ledger: ledger % followers.length }))
            .sort((one, other) => one.atMs - other.atMs),
          ...rest,
        };
        const result = simulate(given);
        const wanted = given.commits.reduce(
          (sum, { ledger }) => sum + (given.followers[ledger]?.length ?? 0),
          0,
        );
        expect([result.missing, result.rowsSent]).toEqual([0, wanted]);
        expect(result.hints).toBe(commits.length * gateways);
        expect(simulate(given)).toEqual(result);
      }),
      { numRuns: 100 },
    );
  });

  test('delivers within a sweep to millions of people, and needs more parts for more people', () => {
    const [few, many, most] = [needs(1000), needs(100_000), needs(10_000_000)];
    for (const part of ['commits', 'sockets', 'reads', 'hints'] as const)
      expect([few[part] < many[part], many[part] < most[part]], part).toEqual([true, true]);
    expect([few.gateways, few.databases]).toEqual([2, 1]);
    // Half of each measured limit stays in reserve.
    expect(most.sockets / most.gateways).toBeLessThanOrEqual(5000);
    expect(most.databaseCores).toBeGreaterThan(most.databases);
    // A database that works half of the time delays most reads by milliseconds, not by a sweep.
    const busy = simulateNeeds(most, { seconds: 1, busy: 0.5, readMs: 0.7 }).delayMs;
    expect([busy.median > 1, busy.median < 3, busy.p99 > 3, busy.p99 < 20]).toEqual([true, true, true, true]);
    const result = simulateNeeds(most, { seconds: 1, lostHints: 0.01 });
    expect(result).toMatchObject({ missing: 0, commits: Math.round(most.commits) });
    expect(result.hints).toBe(result.commits * most.gateways);
    expect(result.delayMs.max).toBeLessThan(1100);
  });
});
