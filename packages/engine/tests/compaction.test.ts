import { isFixpointError } from '@fixpoint/protocol';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Cid } from '../src/codec/cid.ts';
import type { Commits } from '../src/commit/commits-interface.ts';
import { isGone } from '../src/commit/reads.ts';
import type { ByteStore } from '../src/ports/byte-store.ts';
import { seededRandom } from '../src/testing/seeded-random.ts';
import { type SimulatedTime, simulatedTime } from '../src/testing/simulated-time.ts';
import { entries } from '../src/trie/entries.ts';
import { budget, patienceMs, seed } from './budget.fixture.ts';
import { archivesFor, Hoard, openOn, operation, reports } from './compaction-world.fixture.ts';
import { EAGER_LIMITS } from './eager-limits.fixture.ts';
import { gate } from './gated-store.fixture.ts';
import { causalityOf } from './maximal-writes.fixture.ts';

const SCHEDULES = budget({ commit: 2000, night: 100_000, release: 1_000_000 });
const OPENINGS = budget({ commit: 500, night: 50_000, release: 500_000 });
const IDS = ['a', 'ab', 'abc', 'b'];
const TABS = 2;

type Step =
  | { readonly do: 'put' | 'bulk'; readonly tab: number; readonly ids: readonly string[] }
  | { readonly do: 'compact' | 'read' | 'crash' | 'reopen' | 'rest'; readonly tab: number }
  | { readonly do: 'open' }
  | { readonly do: 'fork' }
  | { readonly do: 'put elsewhere'; readonly fork: number; readonly ids: readonly string[] }
  | { readonly do: 'merge'; readonly tab: number; readonly fork: number };

const tab = fc.nat({ max: TABS - 1 });
const ids = fc.uniqueArray(fc.constantFrom(...IDS), { minLength: 1, maxLength: 3 });
const local: fc.Arbitrary<Step>[] = [
  fc.record({ do: fc.constantFrom('put' as const, 'bulk' as const), tab, ids }),
  fc.record({
    do: fc.constantFrom('compact' as const, 'compact' as const, 'read' as const, 'crash' as const),
    tab,
  }),
];
const elsewhere: fc.Arbitrary<Step>[] = [
  fc.constant({ do: 'fork' as const }),
  fc.record({ do: fc.constant('put elsewhere' as const), fork: fc.nat(2), ids }),
  fc.record({ do: fc.constant('merge' as const), tab, fork: fc.nat(2) }),
];
/** Steps that store rows for the next open, or open a database through these rows. */
const openings: fc.Arbitrary<Step>[] = [
  fc.record({ do: fc.constantFrom('reopen' as const, 'rest' as const), tab }),
  fc.constant({ do: 'open' as const }),
];
/** Generates groups of steps. The steps of a group run at the same time. */
const groupsOf = (steps: fc.Arbitrary<Step>[]) =>
  fc.array(fc.array(fc.oneof(...steps), { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 7 });

/** Schedules that lost a block in an earlier version. */
const FOUND: Record<'attached' | 'never attached', [Step[][], number, number][]> = {
  'never attached': [
    // While a reader listed archives, its tab received a new archive. The tab then lost this
    // archive.
    [
      [
        [
          { do: 'compact', tab: 0 },
          { do: 'put', tab: 1, ids: ['a'] },
        ],
        [
          { do: 'crash', tab: 1 },
          { do: 'put', tab: 0, ids: ['a'] },
          { do: 'put', tab: 1, ids: ['ab'] },
        ],
        [
          { do: 'compact', tab: 0 },
          { do: 'compact', tab: 0 },
          { do: 'put', tab: 1, ids: ['ab', 'a'] },
        ],
        [
          { do: 'put', tab: 1, ids: ['a'] },
          { do: 'compact', tab: 0 },
          { do: 'compact', tab: 1 },
        ],
        [
          { do: 'read', tab: 0 },
          { do: 'put', tab: 1, ids: ['a'] },
          { do: 'put', tab: 0, ids: ['a'] },
        ],
        [{ do: 'put', tab: 0, ids: ['a'] }],
        [{ do: 'put', tab: 0, ids: ['a'] }],
      ],
      1_690_533_013,
      3,
    ],
    // Another tab merged a commit while this tab listed archives. This tab recorded the commit's
    // archive as the location of the commit's blocks. When the tab forgot the archive, it lost the
    // blocks.
    [
      [
        [
          { do: 'put', tab: 1, ids: ['a'] },
          { do: 'put', tab: 0, ids: ['a'] },
          { do: 'compact', tab: 0 },
        ],
        [
          { do: 'compact', tab: 0 },
          { do: 'crash', tab: 1 },
        ],
        [
          { do: 'compact', tab: 0 },
          { do: 'put', tab: 0, ids: ['a'] },
        ],
        [{ do: 'put', tab: 0, ids: ['a'] }],
        [{ do: 'compact', tab: 0 }],
        [
          { do: 'compact', tab: 0 },
          { do: 'put', tab: 0, ids: ['a'] },
          { do: 'compact', tab: 1 },
        ],
      ],
      197_998_105,
      0,
    ],
  ],
  attached: [
    // A remote sent archives that a compaction had already rewritten. The next compaction rewrote
    // them to the same archive, then removed this archive as its own source.
    [
      [
        [{ do: 'fork' }],
        [
          { do: 'put elsewhere', fork: 0, ids: ['a'] },
          { do: 'merge', tab: 0, fork: 0 },
        ],
        [
          { do: 'merge', tab: 0, fork: 0 },
          { do: 'put', tab: 1, ids: ['b', 'a'] },
          { do: 'put', tab: 0, ids: ['a'] },
        ],
        [{ do: 'compact', tab: 0 }],
        [
          { do: 'merge', tab: 0, fork: 0 },
          { do: 'compact', tab: 1 },
        ],
      ],
      0,
      0,
    ],
  ],
};

interface Tab {
  readonly commits: Commits;
  readonly time: SimulatedTime;
  kill(): void;
}

class World {
  readonly values = new Map<string, Uint8Array>();
  readonly hoard = new Hoard();
  readonly forks: Commits[] = [];
  readonly acknowledged: { readonly tab: number; readonly id: string; readonly value: Cid }[] = [];
  readonly gate;
  readonly retention;
  tabs: Tab[] = [];
  #n = 0;
  readonly #compacted = new Set<number>();
  readonly #hasEagerLimits: boolean;

  /** @param hasEagerLimits whether tabs store rows that make opens quick, and open through them */
  constructor(seedOfOrder: number, commitsKept: number, hasEagerLimits = false) {
    this.#hasEagerLimits = hasEagerLimits;
    const random = seededRandom(seedOfOrder);
    this.gate = gate((count) => (random.bytes(1)[0] as number) % Math.max(count, 1));
    this.retention = { commits: commitsKept, bytes: Number.POSITIVE_INFINITY };
  }

  async openTab(): Promise<Tab> {
    const store = this.gate.store(this.values, this.#hasEagerLimits);
    const time = simulatedTime();
    const more = this.#hasEagerLimits ? { time, openingLimits: EAGER_LIMITS } : { time };
    const commits = await openOn(this.hoard.over(store), this.retention, more);
    return { commits, time, kill: store.kill };
  }

  async take(step: Step): Promise<void> {
    const n = this.#n++;
    switch (step.do) {
      case 'put':
      case 'bulk': {
        const { commits } = this.tabs[step.tab] as Tab;
        const operations = (step.do === 'put' ? step.ids.slice(0, 1) : step.ids).map((id) =>
          operation(id, n),
        );
        await commits.write(operations);
        for (const { key, value } of operations)
          this.acknowledged.push({ tab: step.tab, id: key, value: value.cid });
        return;
      }
      case 'compact':
        this.#compacted.add(step.tab);
        return (this.tabs[step.tab] as Tab).commits.compact();
      case 'read': {
        const { commits } = this.tabs[step.tab] as Tab;
        const { snapshot, release } = commits.hold();
        await readAll(commits, snapshot.root).catch((cause: unknown) => {
          // If a tab didn't notice the other tab's compaction, blocks may be missing, and the read
          // fails. But a read must never return a wrong result.
          if (!isGone(cause) || !this.#compacted.has(1 - step.tab)) throw cause;
        });
        release();
        return;
      }
      case 'fork': {
        const copy: ByteStore = this.gate.store(new Map(this.values));
        if (this.forks.length < 3) this.forks.push(await openOn(this.hoard.over(copy), this.retention));
        return;
      }
      case 'put elsewhere':
        await this.forks[step.fork]?.write(step.ids.map((id) => operation(id, n)));
        return;
      case 'merge': {
        const [fork, { commits }] = [this.forks[step.fork], this.tabs[step.tab] as Tab];
        if (fork === undefined) return;
        const { head } = fork.snapshot();
        await commits.mergeRemote({ head, archives: await archivesFor(fork, commits), remember: [] });
        return;
      }
      case 'open': {
        const { commits } = await this.openTab();
        await commits.read(({ root }) => readAll(commits, root));
        return commits.close();
      }
      case 'rest':
        return (this.tabs[step.tab] as Tab).time.pass(1000);
      case 'reopen':
        return (this.tabs[step.tab] as Tab).commits.close();
      case 'crash':
        return;
    }
  }

  /**
   * Runs the steps of a group at the same time. Tabs crash or close while the other steps run.
   * These tabs are opened again after all steps finish.
   */
  async takeAll(group: readonly Step[]): Promise<void> {
    const tabsOf = (what: Step['do']) =>
      new Set(group.flatMap((step) => (step.do === what && 'tab' in step ? [step.tab] : [])));
    const crashed = tabsOf('crash');
    const closed = tabsOf('reopen');
    const survivors: Promise<unknown>[] = [];
    for (const step of group) {
      const work = this.take(step);
      if (!('tab' in step)) survivors.push(work);
      else if (!crashed.has(step.tab)) survivors.push(closed.has(step.tab) ? work.catch(passIfClosed) : work);
      else work.catch(() => undefined);
    }
    const kills = [...crashed].map(async (at) => {
      await this.gate.turns(at * 5 + group.length);
      (this.tabs[at] as Tab).kill();
    });
    await this.gate.run([...survivors, ...kills]);
    for (const at of new Set([...crashed, ...closed])) this.tabs[at] = await this.openTab();
  }
}

const passIfClosed = (cause: unknown) => {
  if (!isFixpointError(cause, 'DATABASE_CLOSED')) throw cause;
};

async function readAll({ readers }: Commits, root: Cid | undefined): Promise<void> {
  if (root === undefined) return;
  for await (const [, value] of entries(readers.shard, root)) await readers.block(value);
}

async function check(world: World): Promise<void> {
  const { commits } = await world.openTab();
  const { head, root } = commits.snapshot();
  expect(root).toBe(await world.hoard.rootOf(head));
  for (const cid of world.hoard.trieOf(root)) await commits.readers.block(cid);
  const { maximal, values } = causalityOf(world.hoard.eventsOf(head));
  expect(world.acknowledged.filter(({ value }) => !values.has(value))).toEqual([]);
  for await (const [id, value] of entries(commits.readers.shard, root ?? ('' as Cid)))
    expect([...(maximal.get(id) ?? [])]).toContain(value);
  // A branch that arrives later may make any of these values current again, so all must be
  // readable.
  for (const ofKey of maximal.values()) for (const value of ofKey) await commits.readers.block(value);
}

beforeEach(() => {
  reports.length = 0;
});

describe('compaction', () => {
  test.each([
    ['of an attached database during local writes, remote merges, compactions, crashes and reads', true],
    ['of a never attached database during local writes in two tabs, compactions, crashes and reads', false],
  ])('[R8][P1][P2][P5] loses no block %s', { timeout: patienceMs() }, async (_, isSynced) => {
    await fc.assert(
      fc.asyncProperty(
        groupsOf(isSynced ? [...local, ...elsewhere] : local),
        fc.nat(),
        fc.integer({ min: 0, max: 3 }),
        async (groups, order, commitsKept) => {
          const world = new World(order, commitsKept);
          world.tabs = [await world.openTab(), await world.openTab()];
          await world.take({ do: 'put', tab: 0, ids: ['a'] });
          if (isSynced) await (world.tabs[0] as Tab).commits.prepareForSync();
          for (const group of groups) await world.takeAll(group);
          await check(world);
          expect(reports).toEqual([]);
        },
      ),
      { numRuns: SCHEDULES / 2, seed: seed(), examples: FOUND[isSynced ? 'attached' : 'never attached'] },
    );
  });

  test.each([
    ['of an attached database', true],
    ['of a never attached database', false],
  ])(
    '[R1][R8][R9] loses no block %s whose tabs open through derived rows, whatever they do at the same time',
    {
      timeout: patienceMs(),
    },
    async (_, isSynced) => {
      await fc.assert(
        fc.asyncProperty(
          groupsOf([...local, ...openings, ...(isSynced ? elsewhere : [])]),
          fc.nat(),
          fc.integer({ min: 0, max: 3 }),
          async (groups, order, commitsKept) => {
            const world = new World(order, commitsKept, true);
            world.tabs = [await world.openTab(), await world.openTab()];
            await world.take({ do: 'put', tab: 0, ids: ['a'] });
            if (isSynced) await (world.tabs[0] as Tab).commits.prepareForSync();
            for (const group of groups) await world.takeAll(group);
            await check(world);
            expect(reports).toEqual([]);
          },
        ),
        { numRuns: OPENINGS / 2, seed: seed() },
      );
    },
  );
});
