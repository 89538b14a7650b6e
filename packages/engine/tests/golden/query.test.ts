import { describe, expect, onTestFinished, test } from 'vitest';
import type { Database, MapFunction } from '../../src/database/database.ts';
import { fixpoint } from '../../src/entries/node.ts';
import { quickJsSandbox } from '../../src/platform/sandbox/quickjs-sandbox.ts';
import { untag, vectors } from './vectors.fixture.ts';

interface Vector {
  readonly label: string;
  readonly field?: string;
  readonly mapFn?: string;
  readonly opts: object;
  readonly result: {
    readonly rows: readonly { key: unknown; id: string; value: unknown; hasDoc: boolean }[];
    readonly docs?: readonly string[];
  };
}
const given = vectors<{ docs: Record<string, unknown>[]; queries: Vector[] }>('query.json');

async function holding(name: string): Promise<Database> {
  const database = fixpoint(name, { storage: 'memory', sandbox: quickJsSandbox() });
  onTestFinished(() => database.destroy());
  await database.bulk(given.docs);
  return database;
}

async function answer(
  database: Database,
  { field, mapFn, opts }: Vector,
  typed = false,
): Promise<Vector['result']> {
  const map = field ?? (typed ? { source: mapFn ?? '' } : (new Function(`return ${mapFn}`)() as MapFunction));
  const { rows, docs } = await database.query(map, opts);
  const shown = rows.map(({ key, id, value, doc }) => ({ key, id, value, hasDoc: doc !== undefined }));
  return docs === undefined ? { rows: shown } : { rows: shown, docs: docs.map(({ _id }) => _id) };
}

/**
 * Queries whose results differ from those of the format's first implementation
 * (docs/internals/interoperability.md).
 */
const ANSWERED_OTHERWISE: Readonly<Record<string, string>> = {
  'prefix with string tail yields nothing': 'a prefix also finds keys that continue with a text',
  'prefix on scalar yields nothing': 'a prefix also finds texts that begin with it',
  'falsy key 0 is ignored': 'key 0 is a key',
  'emit twice falsy value': 'inside of arrays too, a text comes before those that begin with it',
};

describe('golden queries', () => {
  test.each(
    given.queries
      .filter(({ label }) => !(label in ANSWERED_OTHERWISE))
      .map((vector) => [vector.label, vector] as const),
  )('%s', async (label, vector) => {
    const database = await holding(label);
    if (label === 'after delete and update') {
      await database.del('q00');
      await database.put({ _id: 'q01', type: 'zzz' });
    }
    expect(await answer(database, vector)).toEqual(untag(vector.result));
    if (vector.mapFn !== undefined)
      expect(await answer(database, vector, true)).toEqual(untag(vector.result));
  });

  test('differs from the first implementation only where documented', async () => {
    const database = await holding('otherwise');
    const found = new Map<string, Vector['result']>();
    for (const vector of given.queries)
      if (vector.label in ANSWERED_OTHERWISE) found.set(vector.label, await answer(database, vector));
    expect([...found.keys()].sort()).toEqual(Object.keys(ANSWERED_OTHERWISE).sort());
    const idsOf = (label: string) => found.get(label)?.rows.map(({ id }) => id);
    const withPart = given.docs.filter(({ strpair }) => (strpair as string[] | undefined)?.[0] === 'x');
    expect(idsOf('prefix with string tail yields nothing')?.sort()).toEqual(withPart.map(({ _id }) => _id));
    const apples = given.docs.filter(({ type }) => String(type).startsWith('app')).map(({ _id }) => _id);
    expect(idsOf('prefix on scalar yields nothing')?.sort()).toEqual(apples.sort());
    expect(idsOf('falsy key 0 is ignored')).toEqual(['q00']);
    const typesOf = (rows?: readonly { key: unknown }[]) => rows?.map(({ key }) => (key as unknown[])[0]);
    expect(typesOf(found.get('emit twice falsy value')?.rows)).toEqual([
      true,
      true,
      '10',
      '10',
      'apple',
      'apple',
    ]);
  });
});
