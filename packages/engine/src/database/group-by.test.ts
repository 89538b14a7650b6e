import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { collection } from '../entries/collection.ts';
import { fixpoint } from '../entries/node.ts';
import type { Database, Group, GroupOptions, IndexDeclaration } from './database.ts';
import { type Inside, insideOf } from './inside.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

let opened = 0;

function open(indexes: readonly IndexDeclaration[] = []): Database {
  opened += 1;
  const database = fixpoint(`grouped-${opened}`, { storage: 'memory', indexes });
  cleanups.push(() => database.destroy());
  return database;
}

const isBuilt = async (database: Database) =>
  vi.waitUntil(async () => (await database.explain()).building.length === 0);

const ITEMS = [
  { _id: 'a', list: 'home', rank: 3, place: { city: 'Rome' } },
  { _id: 'b', list: 'home', rank: 1 },
  { _id: 'c', list: 'work', rank: '2', due: null },
  { _id: 'd', list: 'work' },
  { _id: 'e', rank: -5, due: '2026-01-01' },
  { _id: 'f', list: null, rank: 0.5 },
];

async function filled(indexes: readonly IndexDeclaration[] = []): Promise<Database> {
  const database = open(indexes);
  await database.bulk(ITEMS);
  return database;
}

const group = (more: Partial<Group>): Group => ({
  ...{ key: {}, count: 0, sum: {}, average: {}, min: {}, max: {} },
  ...more,
});

describe('groupBy', () => {
  test('counts documents by the values of a field, in the order of the values', async () => {
    const database = await filled();
    expect(await database.groupBy('list')).toEqual([
      group({ key: { list: null }, count: 1 }),
      group({ key: { list: 'home' }, count: 2 }),
      group({ key: { list: 'work' }, count: 2 }),
      group({ key: {}, count: 1 }),
    ]);
  });

  test('keeps what rounding takes away from sums', async () => {
    const database = open();
    await database.bulk(Array.from({ length: 1000 }, (_, at) => ({ _id: `${at}`, price: 0.07 })));
    expect(await database.groupBy([], { sum: 'price', average: 'price' })).toEqual([
      group({ count: 1000, sum: { price: 70 }, average: { price: 0.07 } }),
    ]);
  });

  test('adds up and averages numbers, and ignores other values', async () => {
    const database = await filled();
    const groups = await database.groupBy('list', {
      sum: 'rank',
      average: ['rank'],
      where: { list: { ne: null } },
    });
    expect(groups).toEqual([
      group({ key: { list: 'home' }, count: 2, sum: { rank: 4 }, average: { rank: 2 } }),
      group({ key: { list: 'work' }, count: 2, sum: { rank: 0 } }),
      group({ key: {}, count: 1, sum: { rank: -5 }, average: { rank: -5 } }),
    ]);
  });

  test('returns the least and the greatest value in the order of sort, without missing ones', async () => {
    const database = await filled();
    expect(await database.groupBy([], { min: ['rank', 'due'], max: ['rank', 'place.city'] })).toEqual([
      group({ count: 6, min: { rank: -5, due: null }, max: { rank: '2', 'place.city': 'Rome' } }),
    ]);
  });

  test('groups by several fields', async () => {
    const database = await filled();
    const groups = await database.groupBy(['list', 'place.city'], { where: { list: 'home' } });
    expect(groups).toEqual([
      group({ key: { list: 'home', 'place.city': 'Rome' }, count: 1 }),
      group({ key: { list: 'home' }, count: 1 }),
    ]);
  });

  test('returns one group of no documents without fields, and no group with fields', async () => {
    const database = await filled();
    const where = { list: 'elsewhere' };
    expect(await database.groupBy([], { where, sum: 'rank', average: 'rank', min: 'rank' })).toEqual([
      group({ sum: { rank: 0 } }),
    ]);
    expect(await database.groupBy('list', { where })).toEqual([]);
  });

  test('keeps a field named __proto__ as an ordinary name', async () => {
    const database = open();
    await database.put({ ['__proto__']: 1, _id: 'a' });
    const [only] = await database.groupBy('__proto__');
    expect(Object.keys(only?.key ?? {})).toEqual(['__proto__']);
  });

  test.each([
    ['a field that is no text', 1, {}, 'by is neither a field nor a list of fields'],
    ['a missing field', undefined, {}, 'by is neither a field nor a list of fields'],
    ['the entries of an array', 'tags[]', {}, 'by: tags[] has more than one value'],
    ['the entries of an array in an option', [], { sum: 'tags[]' }, 'sum: tags[] has more than one value'],
    ['a path that is none', ['a['], {}, 'a['],
    ['an unknown option', 'list', { limit: 1 }, 'limit is not an option of groupBy'],
    ['an unknown condition', 'list', { where: { rank: { above: 1 } } }, 'above'],
  ])('rejects %s', async (_, by, options, detail) => {
    const database = open();
    await expect(database.groupBy(by as string, options as GroupOptions)).rejects.toMatchObject({
      code: 'QUERY_INVALID',
      message: expect.stringContaining(detail),
    });
  });
});

describe('groupBy with an index', () => {
  /** Makes documents unreadable, so that only an index can answer. */
  async function withoutDocuments(database: Database): Promise<Database> {
    await isBuilt(database);
    await database.groupBy('list', { sum: 'rank' });
    const { commits } = await (insideOf(database) as Inside).open();
    Object.assign(commits.readers, {
      blocks: () => Promise.reject(new Error('read a document')),
    });
    return database;
  }

  test.each([
    ['whose fields are in this order', [['list', 'rank']]],
    ['whose fields are in another order', [['rank', 'list']]],
    ['that has more fields', [['place.city', 'list', 'rank']]],
  ] as const)('reads no documents if there is one %s', async (_, indexes) => {
    const expected = await (await filled()).groupBy('list', { sum: 'rank', max: 'rank' });
    const database = await withoutDocuments(await filled(indexes));
    expect(await database.groupBy('list', { sum: 'rank', max: 'rank' })).toEqual(expected);
  });

  test('reads documents if the index lacks a field, or has one entry for each entry of an array', async () => {
    const expected = await (await filled()).groupBy('list', { sum: 'rank' });
    for (const indexes of [['list'], [['list', 'tags[]', 'rank']]] as const)
      expect(await (await filled(indexes)).groupBy('list', { sum: 'rank' })).toEqual(expected);
  });

  test('returns the same groups as a simple count over all documents', async () => {
    const value = fc.constantFrom<unknown>(null, 0, 1, 2.5, -1, 'x', '', true, [1], { a: 1 }, undefined);
    const docs = fc.array(fc.record({ list: value, rank: value }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(docs, fc.boolean(), async (all, isIndexed) => {
        const database = open(isIndexed ? [['rank', 'list']] : []);
        const stored = all.map((doc, n) => {
          const entries = Object.entries(doc).filter(([, one]) => one !== undefined);
          return { ...Object.fromEntries(entries), _id: String(n) };
        });
        await database.bulk(stored);
        const groups = await database.groupBy('list', { sum: 'rank', average: 'rank' });
        const simple = new Map<string, { count: number; numbers: number[] }>();
        for (const { list, rank } of all) {
          const one = simple.get(JSON.stringify(list) ?? '') ?? { count: 0, numbers: [] };
          simple.set(JSON.stringify(list) ?? '', one);
          one.count += 1;
          if (typeof rank === 'number') one.numbers.push(rank);
        }
        expect(groups).toHaveLength(simple.size);
        for (const { key, count, sum, average } of groups) {
          const { list } = key as { list?: unknown };
          const { count: wanted, numbers } = simple.get(JSON.stringify(list) ?? '') ?? {
            count: 0,
            numbers: [],
          };
          const total = numbers.reduce((a, b) => a + b, 0);
          expect({ count, sum: sum['rank'] }).toEqual({ count: wanted, sum: total });
          expect(average['rank']).toBe(numbers.length === 0 ? undefined : total / numbers.length);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('groupBy of a collection', () => {
  test('counts only its own documents, with the names of its fields', async () => {
    const todos = collection('todos', {
      schema: z.object({ list: z.string(), rank: z.number() }),
      indexes: [['list', 'rank']],
    });
    const lists = collection('lists', { schema: z.object({ list: z.string() }) });
    opened += 1;
    const db = fixpoint(`grouped-${opened}`, { storage: 'memory', collections: { todos, lists } });
    cleanups.push(() => db.destroy());
    await db.todos.bulk([
      { list: 'a', rank: 1 },
      { list: 'a', rank: 2 },
      { list: 'b', rank: 5 },
    ]);
    await db.lists.put({ list: 'a' });
    const groups = await db.todos.groupBy('list', { sum: 'rank', where: { rank: { lt: 5 } } });
    expect(groups).toEqual([group({ key: { list: 'a' }, count: 2, sum: { rank: 3 } })]);
    await expect(db.todos.groupBy('list', { min: '_id' as never })).rejects.toMatchObject({
      code: 'QUERY_INVALID',
    });
  });
});
