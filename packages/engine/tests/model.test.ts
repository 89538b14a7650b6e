import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Head } from '../src/clock/event.ts';
import type { AllDocsOptions, Database, Stored } from '../src/database/database.ts';
import { budget, patienceMs, seed } from './budget.fixture.ts';
import { EAGER_LIMITS } from './eager-limits.fixture.ts';
import { type Replica, world } from './sync-world.fixture.ts';

/** Maximum number of steps in a run. An average run has 200 steps. */
const STEPS_MAX = 395;
const RUNS = budget({ commit: 500, night: 50_000, release: 500_000 });

type Fields = Readonly<Record<string, unknown>>;

type Step =
  | { readonly do: 'put'; readonly id: string; readonly fields: Fields }
  | {
      readonly do: 'bulk';
      readonly docs: readonly (readonly [string, Fields])[];
      readonly del: readonly string[];
    }
  | { readonly do: 'del' | 'get'; readonly id: string }
  | { readonly do: 'allDocs'; readonly options: AllDocsOptions }
  | { readonly do: 'query'; readonly key: string; readonly descending: boolean }
  | { readonly do: 'changes'; readonly since: number; readonly limit: number | undefined }
  | { readonly do: 'reopen' | 'crash' | 'compact' };

const id = fc.constantFrom('a', 'ab', 'abc', 'b', 'ba', 'B', '0', '00', '~', 'x-1', 'x-2', 'x-10', 'then');
const colour = fc.constantFrom('red', 'green', 'blue');
const fields: fc.Arbitrary<Fields> = fc.record(
  { colour, any: fc.jsonValue({ maxDepth: 3 }), bytes: fc.uint8Array({ maxLength: 4 }) },
  { requiredKeys: [] },
);
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 3 });
const options = fc
  .record({
    limit: optional(fc.integer({ min: 0, max: 5 })),
    descending: optional(fc.boolean()),
    includeDeleted: optional(fc.boolean()),
    narrowed: optional(
      fc.oneof(
        fc.record({ key: id }),
        fc.record({ keys: fc.uniqueArray(id) }),
        fc.record({ prefix: fc.constantFrom('a', 'ab', 'x-1', 'q') }),
        fc.record({ range: fc.tuple(id, id) }),
      ),
    ),
  })
  .map(({ narrowed, ...rest }): AllDocsOptions => withoutUndefined({ ...rest, ...narrowed }));

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ do: fc.constant('put' as const), id, fields }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('bulk' as const),
      docs: fc.array(fc.tuple(id, fields), { maxLength: 6 }),
      del: fc.array(id, { maxLength: 3 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('del' as const), id }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('get' as const), id }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('allDocs' as const), options }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('query' as const), key: colour, descending: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('changes' as const),
      since: fc.nat(),
      limit: optional(fc.nat({ max: 5 })),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('reopen' as const, 'crash' as const, 'compact' as const) }),
  },
);

function withoutUndefined(given: object): AllDocsOptions {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** A model of a database. It computes every answer from a list of all writes. */
class Model {
  readonly #log: { readonly id: string; readonly doc: Fields | undefined }[] = [];
  readonly #docs = new Map<string, Fields | undefined>();
  /** Each head, with the number of log entries that it includes. */
  readonly heads: { readonly head: Head; readonly length: number }[] = [{ head: [], length: 0 }];

  write(entries: readonly (readonly [string, Fields | undefined])[], head: Head): void {
    // A write that changes nothing creates no event.
    const isSame = head.join() === this.heads.at(-1)?.head.join();
    for (const [key, doc] of isSame ? [] : entries) {
      this.#log.push({ id: key, doc });
      this.#docs.set(key, doc);
    }
    this.heads.push({ head, length: this.#log.length });
  }

  get(key: string): Fields | undefined {
    return this.#docs.get(key);
  }

  get ids(): Iterable<string> {
    return this.#docs.keys();
  }

  get live(): ReadonlyMap<string, Fields> {
    return new Map([...this.#docs].flatMap(([key, doc]) => (doc === undefined ? [] : [[key, doc] as const])));
  }

  stored(key: string): object {
    const doc = this.#docs.get(key);
    return doc === undefined ? { _id: key, _deleted: true } : { ...doc, _id: key };
  }

  allDocs(given: AllDocsOptions) {
    const { key, keys, prefix = '', range, descending, limit = 1000, includeDeleted } = given;
    const asked = key === undefined ? keys : [key];
    const ids = (asked ?? [...this.#docs.keys()].sort()).filter(
      (one) =>
        this.#docs.has(one) &&
        (asked !== undefined ||
          (one.startsWith(prefix) && (range === undefined || (one >= range[0] && one <= range[1])))),
    );
    if (descending === true) ids.reverse();
    return ids
      .filter((one) => includeDeleted === true || this.#docs.get(one) !== undefined)
      .slice(0, limit)
      .map((one) => ({ key: one, value: this.stored(one) }));
  }

  query(value: string, descending: boolean): string[] {
    const ids = [...this.live].filter(([, doc]) => doc['colour'] === value).map(([key]) => key);
    return descending ? ids.sort().reverse() : ids.sort();
  }

  /** Returns the ids that were written after the given head, in the order of their last writes. */
  changes(since: number, limit = 1000): string[] {
    const written = this.#log.slice(this.heads[since]?.length);
    const ids = [...new Set(written.map(({ id: key }) => key).reverse())].reverse();
    return ids.slice(Math.max(0, ids.length - limit));
  }
}

interface Run {
  replica: Replica;
  readonly model: Model;
  /** Documents as a subscriber knows them from the received updates. */
  readonly heard: Map<string, object>;
}

/** Starts with the documents of the model, then applies the updates that a subscriber receives. */
function listen(run: Run): Promise<void> {
  for (const key of run.model.ids) run.heard.set(key, run.model.stored(key));
  run.replica.db.subscribe((docs) => {
    for (const doc of docs) run.heard.set(doc._id, doc);
  }, true);
  return run.replica.db.ready();
}

async function take(here: ReturnType<typeof world>, run: Run, one: Step): Promise<void> {
  const { model } = run;
  const { db } = run.replica;
  switch (one.do) {
    case 'put': {
      await db.put({ ...one.fields, _id: one.id });
      const head = await db.head();
      return model.write([[one.id, one.fields]], head);
    }
    case 'bulk': {
      await db.bulk(
        one.docs.map(([_id, doc]) => ({ ...doc, _id })),
        { del: one.del },
      );
      const head = await db.head();
      return model.write([...one.docs, ...one.del.map((key) => [key, undefined] as const)], head);
    }
    case 'del': {
      await db.del(one.id);
      const head = await db.head();
      return model.write([[one.id, undefined]], head);
    }
    case 'get':
      return expectDocument(db, model, one.id);
    case 'allDocs':
      return void expect((await db.allDocs(one.options)).rows).toEqual(model.allDocs(one.options));
    case 'query': {
      const { rows } = await db.query('colour', { key: one.key, descending: one.descending });
      return void expect(rows.map((row) => row.id)).toEqual(model.query(one.key, one.descending));
    }
    case 'changes':
      return expectChanges(db, model, one.since % model.heads.length, one.limit);
    case 'compact':
      return here.time.run(db.compact());
    case 'reopen':
    case 'crash':
      run.replica = one.do === 'crash' ? run.replica.crash() : await run.replica.reopen();
      return listen(run);
  }
}

async function expectDocument(db: Database, model: Model, key: string): Promise<void> {
  const expected = model.get(key);
  if (expected !== undefined) return void expect(await db.get(key)).toEqual({ ...expected, _id: key });
  await expect(db.get(key)).rejects.toMatchObject({ code: 'NOT_FOUND' });
}

async function expectChanges(
  db: Database,
  model: Model,
  since: number,
  limit: number | undefined,
): Promise<void> {
  const { rows } = await db.changes(model.heads[since]?.head, limit === undefined ? {} : { limit });
  const ids = model.changes(since, limit);
  expect(rows.map(({ key }) => key).sort()).toEqual([...ids].sort());
  expect(rows.map(({ value }) => value as Stored)).toEqual(rows.map(({ key }) => model.stored(key)));
}

test('[R6][R12] returns the results of the model for all operations and options, across reopening and crashes', {
  timeout: patienceMs(),
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.noBias(fc.array(step, { minLength: 1, maxLength: STEPS_MAX, size: 'max' })),
      async (steps) => {
        const here = world({ openingLimits: steps.length % 4 === 0 ? EAGER_LIMITS : undefined });
        const run: Run = { replica: here.replica(), model: new Model(), heard: new Map() };
        await listen(run);
        for (const one of steps) await take(here, run, one);
        await here.time.pass(1000);
        for (const [key, doc] of run.heard) expect(doc).toEqual(run.model.stored(key));
        for (const key of run.model.live.keys()) expect(run.heard.has(key)).toBe(true);
        expect(run.replica.reports).toEqual([]);
      },
    ),
    { numRuns: RUNS, seed: seed() },
  );
});
