import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Emit, MapFunction, QueryOptions } from '../src/database/database.ts';
import { budget, patienceMs, seed } from './budget.fixture.ts';
import {
  askedKey,
  type Fields,
  KEYS,
  keyNumber,
  queryOptions,
  rowsOf,
  selected,
} from './query-rows.fixture.ts';
import { type Replica, world } from './sync-world.fixture.ts';

const RUNS = budget({ commit: 1000, night: 20_000, release: 200_000 });

interface Rows {
  readonly rows?: readonly (readonly [key: number, value: number])[];
  readonly pick?: number;
}

/**
 * Uses variables from outside of the function, so the database identifies the function by its
 * object.
 */
const emitted: MapFunction = (doc: Rows, emit: Emit) => {
  for (const [key, value] of doc.rows ?? []) emit(KEYS[key], value === 1 ? { at: key } : value);
};
/** Uses only its arguments, so the database identifies the function by its text. */
const returned: MapFunction = (doc: Rows) =>
  [null, false, Number.NaN, 0, -1, 'a', 'aa', ['a'], ['a', undefined], undefined, { a: 1 }][doc.pick ?? 0];
const both: MapFunction = (doc: Rows & Fields, emit: Emit) => {
  if (doc.pick === 1) emit(undefined, 1);
  if (doc.pick === 2) emit([doc['_id'], doc['plain']], doc);
  return doc.rows?.length;
};
const MAPS: readonly (string | MapFunction)[] = [
  'plain',
  'pick',
  'absent',
  '__proto__',
  emitted,
  returned,
  both,
];

const fields: fc.Arbitrary<Fields> = fc.record(
  {
    plain: fc.constantFrom<unknown>(
      ...[null, true, 0, -1, 1.5, '', 'a', 'ab', [], ['a'], ['a', 1], { a: 1 }],
    ),
    pick: fc.nat({ max: 10 }),
    rows: fc.array(fc.tuple(keyNumber, fc.nat({ max: 2 })), { maxLength: 4 }),
    ['__proto__']: fc.constantFrom('p', 'q'),
  },
  { requiredKeys: [] },
);
const id = fc.constantFrom('a', 'a!', 'aa', 'b', 'B', '0', '~', 'x-1', 'x-10', 'x-2');
const map = fc.constantFrom(...MAPS);

const query = fc.record({ do: fc.constant('query' as const), map, options: queryOptions });
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('put' as const), id, fields }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('bulk' as const),
      docs: fc.dictionary(id, fields, { maxKeys: 8 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('del' as const), id }) },
  { weight: 4, arbitrary: query },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('compact' as const) }) },
);

async function expectRows(
  { db }: Replica,
  docs: ReadonlyMap<string, Fields>,
  asked: { readonly map: string | MapFunction; readonly options: QueryOptions },
): Promise<void> {
  const rows = selected(rowsOf(asked.map, docs), asked.options);
  const answer = await db.query(asked.map, asked.options);
  if (asked.options.includeDocs === false) return void expect(answer).toEqual({ rows });
  const stored = rows.map((row) => ({ ...docs.get(row.id), _id: row.id }));
  expect(answer).toEqual({ rows: rows.map((row, at) => ({ ...row, doc: stored[at] })), docs: stored });
}

test('[R6] returns the same rows as the model for every kind of key, map and option, after any history', {
  timeout: patienceMs(),
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 25, size: 'max' }),
      fc.array(query, { minLength: 8, maxLength: 8 }),
      async (steps, last) => {
        const here = world();
        let replica = here.replica();
        const docs = new Map<string, Fields>();
        for (const one of [...steps, ...last]) {
          if (one.do === 'query') await expectRows(replica, docs, one);
          else if (one.do === 'reopen') replica = await replica.reopen();
          else if (one.do === 'compact') await here.time.run(replica.db.compact());
          else if (one.do === 'del') {
            await replica.db.del(one.id);
            docs.delete(one.id);
          } else {
            const written = one.do === 'put' ? [[one.id, one.fields] as const] : Object.entries(one.docs);
            await replica.db.bulk(written.map(([_id, doc]) => ({ ...doc, _id })));
            for (const [key, doc] of written) docs.set(key, doc);
          }
        }
        expect(replica.reports).toEqual([]);
      },
    ),
    { numRuns: RUNS, seed: seed() },
  );
});

test('orders keys in the index as in the model', async () => {
  const replica = world().replica();
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(askedKey, { minLength: 2, maxLength: 12 }), async (keys) => {
      const byPosition = (doc: { list: number }, emit: Emit) => {
        for (const key of keys.slice(0, doc.list)) emit(key);
      };
      await replica.db.put({ _id: 'only', list: keys.length });
      const { rows } = await replica.db.query(byPosition, { includeDocs: false });
      const expected = rowsOf(byPosition, new Map([['only', { list: keys.length }]]));
      expect(rows.map(({ key }) => String(key))).toEqual(expected.map(({ key }) => String(normalText(key))));
    }),
    { numRuns: 200, seed: seed() },
  );
});

const normalText = (key: unknown): unknown => (key instanceof Date ? key.toISOString() : key);

describe('a query of a subscriber', () => {
  test('[R12] returns all acknowledged writes and no partial bulk', async () => {
    const { db } = world().replica();
    const COUNT = 40;
    const answers: Promise<readonly [acknowledged: number, versions: unknown[]]>[] = [];
    let acknowledged = 0;
    const ask = async () => {
      const before = acknowledged;
      const { rows, docs } = await db.query<{ version: number }>('version');
      expect(docs?.map(({ version }) => version)).toEqual(rows.map(({ key }) => key));
      return [before, rows.map(({ key }) => key)] as const;
    };
    await db.ready();
    const stop = db.subscribe(() => void answers.push(ask()));
    // A bulk writes two documents, which must always have the same version.
    const writes = Array.from({ length: COUNT }, (_, at) => at + 1).map((version) =>
      db
        .bulk([
          { _id: 'x', version },
          { _id: 'y', version },
        ])
        .then(() => {
          acknowledged = Math.max(acknowledged, version);
        }),
    );
    await Promise.all(writes);
    answers.push(ask());
    stop();
    for (const [before, [x, y, ...others]] of await Promise.all(answers)) {
      expect(others).toEqual([]);
      expect(x).toBe(y);
      expect(x).toBeGreaterThanOrEqual(before);
    }
    expect((await answers.at(-1))?.[1]).toEqual([COUNT, COUNT]);
  });
});
