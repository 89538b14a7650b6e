import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Cid } from '../src/codec/cid.ts';
import { parseDocKey } from '../src/documents/doc-key.ts';
import { encodeDocument, TOMBSTONE } from '../src/documents/encode.ts';
import type { Attached } from '../src/sync/remote.ts';
import { budget, patienceMs, seed } from './budget.fixture.ts';
import { EAGER_LIMITS } from './eager-limits.fixture.ts';
import { causalityOf } from './maximal-writes.fixture.ts';
import { contentOf, haveSameHead, type Replica, world } from './sync-world.fixture.ts';

const RUNS = budget({ commit: 300, night: 10_000, release: 100_000 });
const REPLICAS = 5;
/**
 * Maximum number of steps in a run. Without the bias towards short runs (`noBias`), a run has 200
 * steps on average.
 */
const STEPS_MAX = 395;
const IDS = ['a', 'ab', 'b', 'c', 'ca', 'd-1', 'd-2'];

type Step =
  | { readonly do: 'put' | 'del'; readonly on: number; readonly id: string }
  | { readonly do: 'bulk'; readonly on: number; readonly ids: readonly string[] }
  | { readonly do: 'line'; readonly on: number; readonly state: 'up' | 'cut' | 'silent' }
  | { readonly do: 'cut after'; readonly on: number; readonly messages: number }
  | { readonly do: 'compact' | 'reopen' | 'crash'; readonly on: number }
  | { readonly do: 'restart of the gateway' }
  | { readonly do: 'time'; readonly ms: number };

const on = fc.nat({ max: REPLICAS - 1 });
const id = fc.constantFrom(...IDS);
const write = fc.record({ do: fc.constantFrom('put' as const, 'put' as const, 'del' as const), on, id });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: write },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('bulk' as const), on, ids: fc.uniqueArray(id, { minLength: 1 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('line' as const),
      on,
      state: fc.constantFrom('up' as const, 'cut' as const, 'silent' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('cut after' as const), on, messages: fc.nat({ max: 12 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom('compact' as const, 'reopen' as const, 'crash' as const),
      on,
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'restart of the gateway' as const }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('time' as const), ms: fc.constantFrom(1, 30, 300, 5000) }),
  },
);

interface Run {
  readonly replicas: Replica[];
  readonly syncs: Attached[];
  /**
   * CIDs of acknowledged documents that must be part of the history, by replica and id. With the
   * log, a write of the same replica may replace an earlier one before a commit contains it.
   */
  readonly acknowledged: Map<string, readonly Cid[]>;
  readonly commitEachWrite: boolean;
}

const documentCid = (doc: { readonly _id: string; readonly n: number }): Cid =>
  encodeDocument(doc, parseDocKey(doc._id)).cid;

async function take(here: ReturnType<typeof world>, run: Run, step: Step, n: number): Promise<void> {
  const { time, gateway } = here;
  if (step.do === 'time') return time.pass(step.ms);
  if (step.do === 'restart of the gateway') return gateway.restart();
  const replica = run.replicas[step.on] as Replica;
  const note = (id: string, values: readonly Cid[]) => {
    const place = `${step.on}/${id}`;
    const before = run.commitEachWrite ? (run.acknowledged.get(place) ?? []) : [];
    run.acknowledged.set(place, [...before, ...values]);
  };
  const put = (_id: string) => note(_id, [documentCid({ _id, n })]);
  switch (step.do) {
    case 'put':
      await replica.db.put({ _id: step.id, n });
      put(step.id);
      return;
    case 'del':
      await replica.db.del(step.id);
      note(step.id, []);
      return;
    case 'bulk':
      await replica.db.bulk(step.ids.map((_id) => ({ _id, n })));
      for (const key of step.ids) put(key);
      return;
    case 'line':
      return replica.line.set(step.state);
    case 'cut after':
      return replica.line.cutAfter(step.messages);
    case 'compact':
      return time.run(replica.db.compact());
    case 'reopen':
    case 'crash':
      run.replicas[step.on] = step.do === 'crash' ? replica.crash() : await replica.reopen();
      run.syncs[step.on] = await (run.replicas[step.on] as Replica).attach();
      return;
  }
}

/**
 * Ends all faults, then waits until all replicas report that they are in sync and have the same
 * head.
 */
async function heal({ time }: ReturnType<typeof world>, { replicas, syncs }: Run): Promise<number> {
  for (const { line } of replicas) line.set('up');
  const healedAt = time.now();
  await time.until(
    async () => syncs.every((sync) => sync.status().state === 'in-sync') && (await haveSameHead(replicas)),
  );
  return time.now() - healedAt;
}

describe('convergence', () => {
  test('[P1][P2][P3][P4][P5][R5][R13] makes replicas equal, whatever they wrote, online or offline', {
    timeout: patienceMs(),
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.noBias(fc.array(step, { minLength: 5, maxLength: STEPS_MAX, size: 'max' })),
        fc.nat(),
        fc.boolean(),
        fc.boolean(),
        fc.constantFrom(undefined, { commits: 1 }, { commits: 10 }),
        async (steps, seed, polls, commitEachWrite, history) => {
          const openingLimits = seed % 4 === 0 ? EAGER_LIMITS : undefined;
          const settings = { history, commitEachWrite, openingLimits };
          const here = world({ seed, latencyMs: [1, 150], doubled: 0.1, ...settings });
          if (polls) here.gateway.capabilities = ['reqRes'];
          const replicas = Array.from({ length: REPLICAS }, here.replica);
          const syncs = await Promise.all(replicas.map((replica) => replica.attach()));
          const run: Run = { replicas, syncs, acknowledged: new Map(), commitEachWrite };
          for (const [n, one] of steps.entries()) await take(here, run, one, n);
          await heal(here, run);

          const fresh = here.replica();
          run.replicas.push(fresh);
          run.syncs.push(await fresh.attach());
          await heal(here, run);
          const contents = await Promise.all(run.replicas.map(({ db }) => contentOf(db)));
          const roots = new Set(await Promise.all(run.replicas.map((replica) => replica.root())));
          for (const content of contents) expect(content).toEqual(contents[0]);
          expect(roots.size).toBe(1);
          const { maximal, values } = causalityOf(await fresh.events());
          const found = new Map(
            (contents[0]?.docs ?? []).map((doc) => [doc._id, doc as unknown as { _id: string; n: number }]),
          );
          for (const [id, allowed] of maximal) {
            if (!IDS.includes(id)) continue;
            const doc = found.get(id);
            expect([...allowed]).toContain(doc === undefined ? TOMBSTONE.cid : documentCid(doc));
          }
          expect([...found.keys()].filter((id) => !maximal.has(id))).toEqual([]);
          expect([...run.acknowledged.values()].flat().filter((value) => !values.has(value))).toEqual([]);
          for (const replica of run.replicas) expect(replica.reports).toEqual([]);
        },
      ),
      { numRuns: RUNS, seed: seed() },
    );
  });
});
