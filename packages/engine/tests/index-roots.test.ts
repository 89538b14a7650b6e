import fc from 'fast-check';
import { expect, test } from 'vitest';
import { WITHOUT_REST } from '../src/base/pace.ts';
import type { Emit, MapFunction } from '../src/database/database.ts';
import { openDatabase } from '../src/database/open.ts';
import { acquireCore } from '../src/database/open-core.ts';
import { KeptIndex } from '../src/index/kept-index.ts';
import { mapIndexRun } from '../src/index/map-edits.ts';
import { createNodeCache } from '../src/index/node-table.ts';
import { startMap } from '../src/index/run-map.ts';
import { budget, patienceMs, seed } from './budget.fixture.ts';
import { indexWorld, NAME } from './index-world.fixture.ts';
import type { Fields } from './query-rows.fixture.ts';

const RUNS = budget({ commit: 60, night: 10_000, release: 100_000 });

const byTags: MapFunction = (doc: { tags: unknown[]; n: number }, emit: Emit) => {
  for (const tag of doc.tags) emit(tag, doc.n);
};

/** Creates a database, and a function that updates its index and returns the roots of the index. */
async function replica(map: MapFunction) {
  const platform = indexWorld().platform();
  const db = openDatabase(NAME, platform);
  const { commits } = await acquireCore(NAME, platform, { durability: 'strict' });
  const index = new KeptIndex({
    source: commits,
    cache: createNodeCache(),
    stored: undefined,
    now: () => 0,
    newPace: () => WITHOUT_REST,
    report: () => undefined,
  });
  const roots = async () => {
    await commits.settle();
    const { state, release } = await index.view(async () => mapIndexRun(await startMap(map, undefined)));
    release();
    return { byKey: state.byKey, byId: state.byId };
  };
  return { db, roots };
}

const id = fc.integer({ min: 0, max: 400 }).map((n) => `d${n}`);
const tag = fc.constantFrom<unknown>('a', 'b', 'ab', 0, 1, -1, null, false, ['a', 1], []);
const fields: fc.Arbitrary<Fields> = fc.record({ tags: fc.array(tag, { maxLength: 4 }), n: fc.nat(3) });
const step = fc.record({
  put: fc.array(fc.tuple(id, fields), { maxLength: 80, size: 'max' }),
  del: fc.array(id, { maxLength: 20, size: 'max' }),
  look: fc.boolean(),
});

test('[R7] builds equal index roots for equal content, in any order of writing and indexing', {
  timeout: patienceMs(),
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8, size: 'max' }), fc.nat(), async (steps, turn) => {
      const one = await replica(byTags);
      const content = new Map<string, Fields>();
      for (const { put, del, look } of steps) {
        await one.db.bulk(put.map(([_id, doc]) => ({ ...doc, _id })));
        for (const [key, doc] of put) content.set(key, doc);
        for (const key of del) {
          await one.db.del(key);
          content.delete(key);
        }
        if (look) await one.roots();
      }
      const other = await replica(byTags);
      const docs = [...content].map(([_id, doc]) => ({ ...doc, _id }));
      const turned = [
        ...docs.slice(turn % (docs.length + 1)),
        ...docs.slice(0, turn % (docs.length + 1)),
      ].reverse();
      await other.db.bulk(turned);
      expect(await one.roots()).toEqual(await other.roots());
    }),
    { numRuns: RUNS, seed: seed() },
  );
});
