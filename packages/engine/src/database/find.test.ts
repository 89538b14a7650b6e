import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { fixpoint } from '../entries/node.ts';
import type { Database, FindOptions, IndexDeclaration, Where } from './database.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'fixpoint-find-'));
  cleanups.push(async () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

let opened = 0;

/** Opens a new database in memory, or one in a directory. */
function open(indexes: readonly IndexDeclaration[] = [], directory?: string): Database {
  opened += 1;
  const database =
    directory === undefined
      ? fixpoint(`found-${opened}`, { storage: 'memory', indexes })
      : fixpoint('found', { directory, durability: 'relaxed', indexes });
  cleanups.push(() => (directory === undefined ? database.destroy() : database.close()));
  return database;
}

const idsOf = async (database: Database, options: FindOptions) =>
  (await database.find(options)).docs.map(({ _id }) => _id);

const isBuilt = async (database: Database) =>
  vi.waitUntil(async () => (await database.explain()).building.length === 0);

const TODOS = [
  { _id: 'a', list: 'home', rank: 3, done: false, tags: ['red', 'big'], place: { city: 'Rome' } },
  { _id: 'b', list: 'home', rank: 1, done: true, tags: ['blue'], place: { city: 'Oslo' } },
  { _id: 'c', list: 'work', rank: 2, done: false, tags: [], text: 'Buy milk' },
  { _id: 'd', list: 'work', rank: '2', done: null, tags: 'red hat' },
  {
    _id: 'e',
    'a.b': 1,
    and: 'x',
    '': 'y',
    rank: -5,
    lines: [
      { sku: 'x', n: 1 },
      { sku: 'y', n: 9 },
    ],
  },
];
const INDEXES: readonly IndexDeclaration[] = [
  'rank',
  'done',
  ['list', 'rank'],
  'tags[]',
  'place.city',
  'lines[].sku',
  ['tags[]', 'rank'],
];

/** Conditions, each with the ids of the documents that match. */
const CASES: readonly (readonly [Where, readonly string[]])[] = [
  [{}, ['a', 'b', 'c', 'd', 'e']],
  [{ list: 'home' }, ['a', 'b']],
  [{ list: 'home', rank: { gt: 1 } }, ['a']],
  [{ rank: { gte: 1 } }, ['a', 'b', 'c']],
  [{ rank: { lt: 2 } }, ['b', 'e']],
  [{ rank: { gte: '' } }, ['d']],
  [{ rank: { in: [1, '2', 7] } }, ['b', 'd']],
  [{ rank: { in: [] } }, []],
  [{ rank: { gt: 0, lt: 3 } }, ['b', 'c']],
  [{ done: null }, ['d']],
  [{ done: { ne: true } }, ['a', 'c', 'd', 'e']],
  [{ done: { exists: false } }, ['e']],
  [{ done: { exists: true } }, ['a', 'b', 'c', 'd']],
  [{ not: { done: true } }, ['a', 'c', 'd', 'e']],
  [{ list: { startsWith: 'w' } }, ['c', 'd']],
  [{ 'place.city': 'Rome' }, ['a']],
  [{ place: { eq: { city: 'Oslo' } } }, ['b']],
  [{ 'tags[]': 'red' }, ['a']],
  [{ and: [{ 'tags[]': 'red' }, { 'tags[]': 'big' }] }, ['a']],
  [{ tags: { contains: 'red' } }, ['a', 'd']],
  [{ tags: ['blue'] }, ['b']],
  [{ tags: { exists: true }, not: { 'tags[]': { exists: true } } }, ['c', 'd']],
  [{ 'tags[]': { startsWith: 'b' } }, ['a', 'b']],
  [{ text: { contains: 'MILK' } }, ['c']],
  [{ 'lines[].sku': 'y' }, ['e']],
  [{ 'lines[].n': { gt: 1, lt: 9 } }, []],
  [{ 'a\\.b': 1 }, ['e']],
  [{ 'a.b': 1 }, []],
  [{ or: [{ list: 'home' }, { rank: '2' }] }, ['a', 'b', 'd']],
  [{ or: [] }, []],
  [{ and: [{ rank: { gte: 1 } }, { rank: { lte: 2 } }] }, ['b', 'c']],
  [{ or: [{ 'tags[]': 'big' }, { 'tags[]': 'red' }] }, ['a']],
  [{ _id: 'c' }, ['c']],
  [{ _id: { in: ['e', 'none', 'a'] }, rank: { lt: 0 } }, ['e']],
  [{ toString: { exists: true } }, []],
  [{ '\\and': 'x', '': 'y' }, ['e']],
];

describe('find', () => {
  test.each([
    ['without indexes', []],
    ['with indexes', INDEXES],
  ] as const)('returns the documents that match, %s', async (_, indexes) => {
    const database = open(indexes);
    await database.bulk(TODOS);
    await isBuilt(database);
    for (const [where, ids] of CASES) {
      expect([where, await idsOf(database, { where })]).toEqual([where, ids]);
      expect([where, await database.count(where)]).toEqual([where, ids.length]);
    }
    expect((await database.find({ where: { list: 'home' } })).docs).toEqual(TODOS.slice(0, 2));
  });

  test.each([
    ['without indexes', []],
    ['with indexes', INDEXES],
  ] as const)('sorts and pages, %s', async (_, indexes) => {
    const database = open(indexes);
    await database.bulk(TODOS);
    const pages = async (options: FindOptions) => {
      const all: string[][] = [];
      let after: string | undefined;
      do {
        const { docs, next } = await database.find({ ...options, limit: 2, after });
        all.push(docs.map(({ _id }) => _id));
        after = next;
      } while (after !== undefined);
      return all;
    };
    expect(await pages({})).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
    expect(await pages({ sort: { _id: 'desc' } })).toEqual([['e', 'd'], ['c', 'b'], ['a']]);
    expect(await pages({ sort: { rank: 'asc' } })).toEqual([['e', 'b'], ['c', 'a'], ['d']]);
    expect(await pages({ sort: { rank: 'desc' } })).toEqual([['d', 'a'], ['c', 'b'], ['e']]);
    expect(await pages({ sort: { done: 'asc' } })).toEqual([['d', 'a'], ['c', 'b'], ['e']]);
    expect(await pages({ sort: { done: 'desc' } })).toEqual([['e', 'b'], ['c', 'a'], ['d']]);
    expect(await pages({ where: { list: 'home' }, sort: { rank: 'asc' } })).toEqual([['b', 'a']]);
    expect(await pages({ where: { list: 'home' }, sort: { rank: 'desc' } })).toEqual([['a', 'b']]);
    expect(await pages({ sort: { list: 'desc', rank: 'asc' } })).toEqual([['e', 'c'], ['d', 'b'], ['a']]);
    expect(await pages({ sort: { list: 'asc', rank: 'asc' } })).toEqual([['b', 'a'], ['c', 'd'], ['e']]);
    expect(await database.find({ limit: 0 })).toEqual({ docs: [] });
  });

  test('returns the same pages with indexes, without them, and as a filter of all documents', async () => {
    const value = fc.oneof(
      fc.constantFrom(null, true, false, '', 'a', 'ab', 'b', 0, 1, 2, -1),
      fc.array(fc.constantFrom('a', 'b', 1), { maxLength: 3 }),
    );
    const document = fc.record({ x: value, y: value, z: fc.record({ x: value }) }, { requiredKeys: [] });
    const comparison = fc.oneof(
      value.map((eq) => ({ eq })),
      value.map((ne) => ({ ne })),
      value.map((gte) => ({ gte })),
      fc.record({ gt: value, lte: value }),
      fc.array(value, { maxLength: 3 }).map((any) => ({ in: any })),
      fc.boolean().map((exists) => ({ exists })),
      fc.constantFrom('a', 'b').map((contains) => ({ contains })),
      fc.constantFrom('a', '').map((startsWith) => ({ startsWith })),
    );
    const path = fc.constantFrom('x', 'y', 'z.x');
    const leaf = fc.oneof(
      fc.tuple(path, comparison).map(([name, one]): Where => ({ [name]: one })),
      value.map((one): Where => ({ 'x[]': one })),
      fc.constantFrom('', 'd', 'd1', 'd10', 'e').map((startsWith): Where => ({ _id: { startsWith } })),
      fc.constantFrom<Where>(
        { _id: { startsWith: 'd', gt: 'd05' } },
        { _id: { startsWith: 'd', contains: '1' } },
      ),
      fc.tuple(value, value).map(([x, y]): Where => ({ x, y })),
    );
    const where = fc.letrec<{ where: Where }>((tie) => ({
      where: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.array(tie('where'), { maxLength: 3 }).map((and): Where => ({ and })),
        fc.array(tie('where'), { maxLength: 3 }).map((or): Where => ({ or })),
        tie('where').map((not): Where => ({ not })),
      ),
    })).where;
    const direction = fc.constantFrom('asc' as const, 'desc' as const);
    const sort = fc.oneof(
      fc.constant({}),
      fc.record({ x: direction }),
      fc.record({ y: direction, x: direction }),
      fc.record({ 'z.x': direction }),
    );
    const plain = open();
    const indexed = open([
      ...['x', ['y', 'x'], 'x[]', 'z.x', ['x[]', 'y']],
      ...['d', 'd1'].flatMap((prefix) => [
        { fields: ['x'], prefix },
        { fields: ['y', 'x'], prefix },
      ]),
    ]);
    await fc.assert(
      fc.asyncProperty(
        fc.array(document, { maxLength: 12 }),
        fc.array(fc.tuple(where, sort, fc.integer({ min: 1, max: 4 })), { minLength: 1, maxLength: 8 }),
        async (docs, searches) => {
          const withIds = docs.map((doc, at) => ({ _id: `d${String(at).padStart(2, '0')}`, ...doc }));
          for (const database of [plain, indexed]) {
            const del = (await database.allDocs()).rows.map(({ key }) => key);
            await database.bulk(withIds, { del: del.slice(docs.length) });
          }
          for (const [conditions, order, limit] of searches) {
            const all = await idsOf(plain, { where: conditions, sort: order });
            expect(await idsOf(indexed, { where: conditions, sort: order })).toEqual(all);
            expect(await indexed.count(conditions)).toBe(all.length);
            const paged: string[] = [];
            let after: string | undefined;
            do {
              const page = await indexed.find({ where: conditions, sort: order, limit, after });
              for (const { _id } of page.docs) paged.push(_id);
              after = page.next;
            } while (after !== undefined);
            expect(paged).toEqual(all);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test.each([
    [{ where: null }, 'where is not an object'],
    [{ where: { a: undefined } }, 'where.a is undefined'],
    [{ where: { a: { gt: undefined } } }, 'a.gt is undefined'],
    [{ where: { a: { above: 1 } } }, 'a.above is not a condition'],
    [{ where: { a: {} } }, 'a has no condition'],
    [{ where: { 'a]': 1 } }, '"a]" is not a field'],
    [{ where: { 'a\\': 1 } }, 'is not a field'],
    [{ where: { ['a.'.repeat(30)]: 1 } }, 'is not a field'],
    [{ where: { 'a[0]': 1 } }, '"a[0]" is not a field'],
    [{ where: { or: {} } }, 'or is not an array'],
    [{ where: { a: { in: 1 } } }, 'a.in is not an array'],
    [{ where: { a: { startsWith: 1 } } }, 'a.startsWith is not a text'],
    [{ where: { a: { exists: 1 } } }, 'a.exists is neither true nor false'],
    [{ where: { 'a[]': { exists: false } } }, 'a[].exists is false'],
    [{ where: { a: () => 1 } }, 'a value in where has no order'],
    [{ sort: { a: 'up' } }, 'sort.a is neither asc nor desc'],
    [{ sort: { 'a[]': 'asc' } }, 'sort.a[] has more than one value'],
    [{ limit: -1 }, 'limit is -1'],
    [{ after: 'x' }, 'after is not a cursor of this order'],
    [{ after: '["b","A","x"]', sort: { a: 'asc' } }, 'after is not a cursor of this order'],
    [{ wher: {} }, 'wher is not an option of find'],
  ])('rejects %j with QUERY_INVALID', async (options, message) => {
    await expect(open().find(options as FindOptions)).rejects.toMatchObject({
      code: 'QUERY_INVALID',
      message: expect.stringContaining(message),
    });
  });

  test('rejects conditions that are nested too deeply with QUERY_INVALID', async () => {
    let where: Where = { a: 1 };
    for (let depth = 0; depth < 200; depth++) where = { not: where };
    await expect(open().find({ where })).rejects.toMatchObject({ code: 'QUERY_INVALID' });
  });
});

describe('conditions on types and patterns', () => {
  const everyType = [
    { _id: 'null', x: null },
    { _id: 'boolean', x: false },
    { _id: 'number', x: 0.5 },
    { _id: 'string', x: 'v12 Größe' },
    { _id: 'array', x: ['v12'] },
    { _id: 'object', x: { v12: 1 } },
    { _id: 'bytes', x: new Uint8Array([1]) },
    { _id: 'missing' },
  ];

  test.each([[[]], [['x']]])('finds values by their type, with indexes %j', async (indexes) => {
    const database = open(indexes);
    await database.bulk(everyType);
    await isBuilt(database);
    for (const { _id } of everyType.slice(0, -1))
      expect(await idsOf(database, { where: { x: { type: _id as 'null' } } })).toEqual([_id]);
    expect(await idsOf(database, { where: { not: { x: { type: 'string' } }, x: { exists: true } } })).toEqual(
      ['array', 'boolean', 'bytes', 'null', 'number', 'object'],
    );
    const { reads } = await database.explain({ where: { x: { type: 'number' } } });
    expect(reads).toBe(indexes.length === 0 ? 'all' : 'matches');
  });

  test('finds texts by patterns, and only texts', async () => {
    const database = open();
    await database.bulk(everyType);
    const found = (matches: string) => idsOf(database, { where: { x: { matches } } });
    expect(await found('^v\\d+')).toEqual(['string']);
    expect(await found('(?i)^V12 GRÖSSE|größe$')).toEqual(['string']);
    expect(await found('^\\d+$')).toEqual([]);
    expect(await idsOf(database, { where: { 'x[]': { matches: '12$' } } })).toEqual(['array']);
  });

  test.each<[unknown, RegExp]>([
    [{ x: { type: 'text' } }, /x\.type is none of null, boolean/],
    [{ x: { type: 'constructor' } }, /x\.type is none of/],
    [{ x: { matches: 5 } }, /x\.matches is not a text/],
    [{ x: { matches: '(' } }, /Unterminated group/],
    [{ x: { matches: '(a)\\1' } }, /not supported/],
  ])('rejects %j', async (where, message) => {
    await expect(open().find({ where: where as Where })).rejects.toThrow(message);
  });
});

describe('explain', () => {
  test('names the index that answers, what it reads, and whether it sorts', async () => {
    const database = open(INDEXES);
    await database.bulk(TODOS);
    const explained = async (options: FindOptions) => {
      const { indexes, reads, sorts } = await database.explain(options);
      return [indexes.map((fields) => fields.join()).join(' + '), reads, sorts ? 'sorts' : 'in order'];
    };
    expect(await explained({ where: { list: 'home', rank: { gt: 1 } } })).toEqual([
      'list,rank',
      'matches',
      'sorts',
    ]);
    expect(await explained({ where: { list: 'home' }, sort: { rank: 'desc' } })).toEqual([
      'list,rank',
      'matches',
      'in order',
    ]);
    expect(await explained({ where: { done: false } })).toEqual(['done', 'matches', 'in order']);
    expect(await explained({ where: { done: false, text: 'x' } })).toEqual([
      'done',
      'candidates',
      'in order',
    ]);
    expect(await explained({ where: { tags: { contains: 'red' } } })).toEqual([
      'tags[]',
      'candidates',
      'sorts',
    ]);
    expect(await explained({ where: { 'tags[]': 'red' }, sort: { rank: 'asc' } })).toEqual([
      'tags[],rank',
      'matches',
      'in order',
    ]);
    expect(await explained({ where: { or: [{ list: 'a' }, { 'place.city': 'b' }] } })).toEqual([
      'list,rank + place.city',
      'matches',
      'sorts',
    ]);
    expect(await explained({ sort: { rank: 'asc' }, limit: 2 })).toEqual(['rank', 'matches', 'in order']);
    expect(await explained({ where: { text: 'x' }, sort: { rank: 'asc' } })).toEqual(['', 'all', 'sorts']);
    expect(await explained({ where: { text: 'x' } })).toEqual(['', 'all', 'in order']);
    expect(await explained({ where: { _id: 'a' } })).toEqual(['', 'ids', 'sorts']);
  });

  test('uses an index of ids with a prefix if the conditions ask for such ids', async () => {
    const database = open([{ fields: ['rank'], prefix: 'todo/' }, 'list']);
    await database.bulk([
      { _id: 'note/1', rank: 1, list: 'a' },
      { _id: 'todo', rank: 1 },
      { _id: 'todo/1', rank: 2, list: 'a' },
      { _id: 'todo/12', rank: 1, list: 'b' },
    ]);
    await isBuilt(database);
    const ids = { _id: { startsWith: 'todo/' } };
    const reads = async (where: Where) => {
      const { indexes, reads: what } = await database.explain({ where });
      return [indexes.join(' + '), what, ...(await idsOf(database, { where }))];
    };
    expect(await reads({ rank: 1 })).toEqual(['', 'all', 'note/1', 'todo', 'todo/12']);
    expect(await reads({ ...ids, rank: 1 })).toEqual(['rank', 'matches', 'todo/12']);
    expect(await reads({ _id: { startsWith: 'todo/1' }, rank: { gte: 1 } })).toEqual([
      'rank',
      'candidates',
      'todo/1',
      'todo/12',
    ]);
    expect(await reads({ _id: { startsWith: 'todo' }, rank: 1 })).toEqual(['', 'all', 'todo', 'todo/12']);
    expect(await reads({ _id: { startsWith: 'todo/', contains: '2' } })).toEqual(['', 'all', 'todo/12']);
    expect(await reads({ ...ids, list: 'a' })).toEqual(['list', 'candidates', 'todo/1']);
    expect(await reads({ ...ids, or: [{ rank: 1 }, { rank: 2 }] })).toEqual([
      'rank + rank',
      'matches',
      'todo/1',
      'todo/12',
    ]);
    expect(await idsOf(database, { where: ids, sort: { rank: 'desc' }, limit: 1 })).toEqual(['todo/1']);
    await database.bulk([{ _id: 'todo/2', rank: 1 }], { del: ['todo/12'] });
    expect(await reads({ ...ids, rank: 1 })).toEqual(['rank', 'matches', 'todo/2']);
  });
});

describe('a declared index', () => {
  test('answers after each write, and after reopening', async () => {
    const directory = newDirectory();
    const first = open(['rank'], directory);
    await first.bulk(TODOS);
    expect(await idsOf(first, { where: { rank: { gt: 1 } } })).toEqual(['a', 'c']);
    await first.put({ _id: 'c', rank: 0 });
    await first.del('a');
    await first.put({ _id: 'f', rank: 8 });
    expect(await idsOf(first, { where: { rank: { gt: 1 } } })).toEqual(['f']);
    await first.close();
    const second = open(['rank'], directory);
    expect((await second.explain({ where: { rank: 1 } })).building).toEqual([]);
    expect(await idsOf(second, { where: { rank: { gt: 1 } } })).toEqual(['f']);
  });

  test('is built in the background, and does not answer until it is complete', async () => {
    const directory = newDirectory();
    const first = open([], directory);
    await first.bulk(Array.from({ length: 3000 }, (_, n) => ({ _id: `d${n}`, n })));
    await first.close();
    const second = open(['n'], directory);
    const { indexes, building } = await second.explain({ where: { n: 7 } });
    expect([indexes, building]).toEqual([[], [['n']]]);
    expect(await idsOf(second, { where: { n: 7 } })).toEqual(['d7']);
    await isBuilt(second);
    expect((await second.explain({ where: { n: 7 } })).indexes).toEqual([['n']]);
    expect(await idsOf(second, { where: { n: 7 } })).toEqual(['d7']);
  });

  test('answers queries by the name of a field like an index of that field', async () => {
    const [plain, indexed] = [open(), open(['x', 'a\\.b'])];
    const docs = [null, undefined, 0, 1, 'a', 'b', ['a'], { b: 1 }, new Uint8Array([1]), false].map(
      (x, n) => ({
        _id: `d${n}`,
        ...(x !== undefined && { x }),
        'a.b': n,
      }),
    );
    for (const database of [plain, indexed]) await database.bulk(docs);
    for (const options of [
      {},
      { descending: true },
      { key: null },
      { keys: ['b', 1, null] },
      { range: [null, 'a'] },
      { range: [null, 'a'], descending: true, limit: 3 },
      { range: ['a', { z: 1 }] },
      { prefix: 'a' },
      { prefix: 'a', descending: true },
    ] as const) {
      expect(await indexed.query('x', options)).toEqual(await plain.query('x', options));
      expect(await indexed.query('a.b', options)).toEqual(await plain.query('a.b', options));
    }
  });

  test('is shared by all handles of a database', async () => {
    const directory = newDirectory();
    const [one, other] = [open(['a'], directory), open(['b'], directory)];
    await other.ready();
    await one.put({ _id: 'x', a: 1, b: 2 });
    expect((await one.explain({ where: { b: 2 } })).indexes).toEqual([['b']]);
    expect((await other.explain({ where: { a: 1 } })).indexes).toEqual([['a']]);
  });

  test.each([
    ['x', 'indexes is not an array'],
    [['a['], '"a[" is not a field'],
    [[[]], 'an index has from 1 to 8 fields'],
    [[['a', 'a']], 'the same field twice'],
    [[['a[]', 'b[]']], 'more than one field with []'],
    [[1], '1 is not a field'],
    [Array.from({ length: 41 }, (_, n) => `f${n}`), 'more than 40 entries'],
    [[{ fields: 'a' }], 'the fields of an index is not an array'],
    [[{ fields: ['a'], prefix: 1 }], 'the prefix of an index is not a text'],
    [[{ fields: ['a'], text: ['a'] }], 'both text and fields'],
    [[{ fields: ['a'], ids: 'x' }], 'ids is not an option of an index'],
  ])('rejects the declaration %j with CONFIG_INVALID', async (indexes, message) => {
    const database = open(indexes as IndexDeclaration[]);
    const refused = { code: 'CONFIG_INVALID', message: expect.stringContaining(message) };
    await expect(database.ready()).rejects.toMatchObject(refused);
    await expect(database.put({})).rejects.toMatchObject(refused);
  });
});
