import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { long } from '../../tests/budget.fixture.ts';
import { collection, fixpoint, type StandardSchema } from '../entries/node.ts';

const todos = collection('todos', {
  schema: z.object({
    title: z.string(),
    done: z.boolean().default(false),
    list: z.string(),
    rank: z.number(),
    tags: z.array(z.string()).optional(),
  }),
  indexes: ['done', ['list', 'rank']],
  search: ['title'],
});
const lists = collection('lists', { schema: z.object({ title: z.string(), size: z.number() }) });

let opened = 0;
function open() {
  opened += 1;
  const db = fixpoint(`collections-${opened}`, { storage: 'memory', collections: { todos, lists } });
  onTestFinished(() => db.destroy());
  return db;
}

const todo = (title: string, more: { list?: string; rank?: number; _id?: string } = {}) => ({
  title,
  list: 'a',
  rank: 1,
  ...more,
});

describe('a collection', () => {
  test('stores what the schema returns, as an ordinary document whose id starts with its name', async () => {
    const db = open();
    expect(await db.todos.put({ ...todo('Milk'), _id: 'milk' })).toEqual({ id: 'milk' });
    const stored = { _id: 'todos/milk', title: 'Milk', done: false, list: 'a', rank: 1 };
    expect(await db.get('todos/milk')).toEqual(stored);
    expect(await db.todos.get('milk')).toEqual({ ...stored, _id: 'milk' });
    await db.todos.del('milk');
    await expect(db.todos.get('milk')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('creates ids that sort in the order of the writes', async () => {
    const db = open();
    const first = await db.todos.put(todo('one'));
    const { ids } = await db.todos.bulk([todo('two'), todo('three')]);
    expect(first.id).not.toContain('todos');
    const found = await db.todos.find();
    expect(found.docs.map(({ _id, title }) => [_id, title])).toEqual([
      [first.id, 'one'],
      [ids[0], 'two'],
      [ids[1], 'three'],
    ]);
  });

  test('keeps equal ids of different collections apart', async () => {
    const db = open();
    await db.todos.put(todo('Milk', { _id: 'x' }));
    await db.lists.put({ _id: 'x', title: 'Shop', size: 1 });
    await db.todos.bulk([], { del: ['x'] });
    expect(await db.lists.count()).toBe(1);
    expect(await db.todos.count()).toBe(0);
  });

  test('rejects a write that breaks the schema with the path of the field, and stores nothing', async () => {
    const db = open();
    const wrong = { ...todo('Milk'), rank: 'x', tags: ['a', 1] } as unknown as ReturnType<typeof todo>;
    await expect(db.todos.put(wrong)).rejects.toMatchObject({
      code: 'DOC_INVALID',
      message: expect.stringContaining('todos: rank: '),
      cause: [{ path: 'rank' }, { path: 'tags.1' }].map((one) => expect.objectContaining(one)),
    });
    await expect(db.todos.bulk([todo('Good'), wrong])).rejects.toMatchObject({ code: 'DOC_INVALID' });
    expect((await db.allDocs()).rows).toEqual([]);
  });

  test('finds, sorts, pages and counts its documents with its indexes', async () => {
    const db = open();
    await db.lists.put({ _id: 'a', title: 'Milk', size: 1 });
    await db.todos.bulk(
      ['Milk', 'Bread', 'Oat milk', 'Tea'].map((title, rank) => todo(title, { rank, _id: `t${rank}` })),
    );
    await db.todos.put(todo('Beer', { list: 'b', rank: 0, _id: 'other' }));
    await vi.waitUntil(async () => (await db.explain()).building.length === 0);
    const options = { where: { list: 'a', rank: { gte: 1 } }, sort: { rank: 'asc' }, limit: 2 } as const;
    const page = await db.todos.find(options);
    expect(page.docs.map(({ title }) => title)).toEqual(['Bread', 'Oat milk']);
    const rest = await db.todos.find({ ...options, after: page.next });
    expect(rest.docs.map(({ title }) => title)).toEqual(['Tea']);
    expect(rest.next).toBeUndefined();
    expect(await db.todos.count({ list: 'a' })).toBe(4);
    const explained = await db.todos.explain(options);
    expect(explained).toMatchObject({ indexes: [['list', 'rank']], reads: 'matches', sorts: false });
    const words = await db.todos.search('mil');
    expect(words.docs.map(({ _id }) => _id)).toEqual(['t0', 't2']);
    expect((await db.todos.search('mil', { where: { rank: 2 } })).docs.map(({ _id }) => _id)).toEqual(['t2']);
    await expect(db.lists.search('mil')).rejects.toMatchObject({ code: 'QUERY_INVALID' });
    await db.put({ _id: 'other', done: false });
    const rows = (await db.query('done')).rows.map(({ id }) => id);
    expect(rows).toContain('other');
  });

  test.each([
    [{ _id: 'b' }, ['b']],
    [{ _id: { in: ['a', 'c', 'none'] } }, ['a', 'c']],
    [{ _id: { gt: 'a' } }, ['b', 'ba', 'c']],
    [{ _id: { startsWith: 'b' } }, ['b', 'ba']],
    [{ not: { or: [{ _id: 'a' }, { _id: { gte: 'ba', ne: 'c' } }] } }, ['b', 'c']],
    [{ _id: { exists: true } }, ['a', 'b', 'ba', 'c']],
  ])('finds its documents by their own ids: %j', async (where, ids) => {
    const db = open();
    await db.todos.bulk(['a', 'b', 'ba', 'c'].map((_id) => todo(_id, { _id })));
    await db.bulk([{ _id: 'todos', x: 1 }, { _id: 'todos0' }, { _id: 'a' }]);
    expect((await db.todos.find({ where })).docs.map(({ _id }) => _id)).toEqual(ids);
    await expect(db.todos.find({ where: { _id: { contains: 'b' } } })).rejects.toMatchObject({
      code: 'QUERY_INVALID',
    });
  });

  test('calls listeners with the ids of its changed documents', async () => {
    const db = open();
    const seen: (readonly string[])[] = [];
    db.todos.subscribe((ids) => void seen.push(ids));
    await db.lists.put({ _id: 'x', title: 'Shop', size: 1 });
    await db.todos.put(todo('Milk', { _id: 'a' }));
    await db.todos.del('a');
    await vi.waitUntil(() => seen.length === 2);
    expect(seen).toEqual([['a'], ['a']]);
  });

  test('keeps attached files, which the schema does not see', async () => {
    const db = open();
    const file = new File(['abc'], 'a.txt', { type: 'text/plain' });
    const doc = { ...todo('Milk', { _id: 'a' }), _files: { a: file } };
    await db.todos.put(doc);
    const stored = await db.todos.get('a');
    expect(stored).toMatchObject({ _files: { a: { type: 'text/plain', size: 3 } } });
    await db.todos.update('a', (one) => one && { ...one, done: true });
    expect(await db.todos.get('a')).toMatchObject({ done: true, _files: { a: { size: 3 } } });
  });
});

describe('a call', () => {
  test('[R6] keeps its place among other calls, whether each of them is awaited or not', async () => {
    const db = open();
    const calls = [
      db.lists.put({ _id: 'a', title: 'one', size: 1 }),
      db.lists.bulk([{ _id: 'a', title: 'two', size: 2 }]),
      db.lists.update('a', (one) => one && { ...one, size: one.size + 1 }),
      db.lists.put({ _id: 'b', title: 'gone', size: 0 }),
      db.lists.del('b'),
    ];
    await Promise.all(calls);
    const { docs } = await db.lists.find();
    expect(docs).toEqual([{ _id: 'a', title: 'two', size: 3 }]);
  });

  test('stores the document as it was at the call', async () => {
    const items = collection('items', { schema: type({ at: { n: 'number' } }) });
    const db = fixpoint('as it was', { storage: 'memory', collections: { items } });
    onTestFinished(() => db.destroy());
    const doc = { _id: 'a', at: { n: 1 } };
    const written = db.items.put(doc);
    doc.at.n = 2;
    await written;
    expect(await db.items.get('a')).toEqual({ _id: 'a', at: { n: 1 } });
  });
});

describe('a change that depends on documents', () => {
  test('[R9] loses none of 300 parallel updates, nor several in one transaction', long, async () => {
    const db = open();
    await db.lists.put({ _id: 'a', title: 'Shop', size: 0 });
    const raise = (one: { title: string; size: number } | undefined) => one && { ...one, size: one.size + 1 };
    await Promise.all(Array.from({ length: 300 }, () => db.lists.update('a', raise)));
    await db.transact((tx) => {
      for (let n = 0; n < 3; n++) void tx.lists.update('a', raise);
    });
    expect((await db.lists.get('a')).size).toBe(303);
    await db.transact(async (tx) => {
      void tx.lists.update('a', raise);
      void tx.lists.put({ _id: 'a', title: 'New', size: 0 });
      expect((await tx.lists.get('a')).title).toBe('New');
    });
    expect(await db.lists.get('a')).toEqual({ _id: 'a', title: 'New', size: 0 });
  });

  test.each([
    ['a promise', () => Promise.resolve({ title: 'x' })],
    ['null', () => null],
    ['an array', () => []],
    ['a text', () => 'x'],
  ])('is rejected if the function returns %s, also if all fields have defaults', async (_name, change) => {
    const notes = collection('notes', { schema: z.object({ title: z.string().default('Untitled') }) });
    const db = fixpoint('defaults', { storage: 'memory', collections: { notes } });
    onTestFinished(() => db.destroy());
    await db.notes.put({ _id: 'a', title: 'Kept' });
    const wrong = change as unknown as () => undefined;
    await expect(db.notes.update('a', wrong)).rejects.toMatchObject({ code: 'DOC_INVALID' });
    const inTransaction = db.transact((tx) => tx.notes.update('a', wrong));
    await expect(inTransaction).rejects.toMatchObject({ code: 'DOC_INVALID' });
    expect((await db.notes.get('a')).title).toBe('Kept');
  });

  test('fails with a reason if a transaction writes after its end', async () => {
    const db = open();
    let late: (() => Promise<unknown>) | undefined;
    await db.transact((tx) => {
      late = () => tx.lists.del('a');
    });
    await expect(late?.()).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
  });

  test('[R9] loses none of several parallel updates', async () => {
    const db = open();
    await db.lists.put({ _id: 'a', title: 'Shop', size: 0 });
    const raise = () => db.lists.update('a', (one) => one && { ...one, size: one.size + 1 });
    await Promise.all(Array.from({ length: 20 }, raise));
    expect((await db.lists.get('a')).size).toBe(20);
  });

  test('writes all documents of a transaction or none, also if it doesn’t await each write', async () => {
    const db = open();
    await db.lists.put({ _id: 'a', title: 'Shop', size: 0 });
    await db.transact((tx) => {
      void tx.todos.put(todo('Milk', { _id: 'm' }));
      void tx.lists.update('a', (one) => one && { ...one, size: one.size + 1 });
    });
    expect([(await db.lists.get('a')).size, (await db.todos.get('m')).title]).toEqual([1, 'Milk']);
    const wrong = { title: 7 } as unknown as { title: string; size: number };
    const failed = db.transact((tx) => {
      void tx.todos.del('m');
      void tx.lists.put(wrong);
    });
    await expect(failed).rejects.toMatchObject({ code: 'DOC_INVALID' });
    expect(await db.todos.count()).toBe(1);
  });

  test('creates a document if there is none, and writes nothing for undefined', async () => {
    const db = open();
    await db.lists.update('new', (one) => (one === undefined ? { title: 'New', size: 1 } : undefined));
    await db.lists.update('new', (one) => (one === undefined ? { title: 'Other', size: 2 } : undefined));
    expect(await db.lists.get('new')).toEqual({ _id: 'new', title: 'New', size: 1 });
  });
});

describe('a document that another application wrote', () => {
  test('is kept and listed if it breaks the schema, and never returned as a valid one', async () => {
    const db = open();
    await db.todos.put(todo('Good', { _id: 'good' }));
    await db.put({ _id: 'todos/bad', title: 1, list: 'a' });
    const found = await db.todos.find({ where: { list: 'a' } });
    expect(found.docs.map(({ _id }) => _id)).toEqual(['good']);
    const bad = { _id: 'bad', doc: { _id: 'bad', title: 1, list: 'a' } };
    expect(found.invalid).toMatchObject([bad]);
    expect(await db.todos.invalid()).toMatchObject([
      { ...bad, issues: [{ path: 'title' }, { path: 'rank' }] },
    ]);
    await expect(db.todos.get('bad')).rejects.toMatchObject({ code: 'DOC_INVALID', cause: bad });
    await expect(db.todos.update('bad', (one) => one)).rejects.toMatchObject({ code: 'DOC_INVALID' });
    expect(await db.get('todos/bad')).toEqual({ _id: 'todos/bad', title: 1, list: 'a' });
  });
});

describe('a new version of a schema', () => {
  const first = { schema: z.object({ name: z.string() }) };
  const third = {
    schema: z.object({ first: z.string(), last: z.string(), age: z.number() }),
    version: 3,
    migrate: {
      2: (old: object) => {
        const [one = '', last] = (old as { name: string }).name.split(' ');
        return { first: one, last };
      },
      3: (old: object) => ({ ...old, age: 0 }),
    },
  };

  function openWith<S extends StandardSchema>(name: string, options: Parameters<typeof collection<S>>[1]) {
    const people = collection('people', options);
    const db = fixpoint(name, { storage: 'memory', collections: { people } });
    onTestFinished(() => db.destroy());
    return db;
  }

  test('reads older documents in the new version, and writes all of them on demand', async () => {
    const old = openWith('migrated', first);
    await old.people.bulk(Array.from({ length: 450 }, (_, n) => ({ _id: `p${n}`, name: `Ada L${n}` })));
    await old.people.put({ _id: 'odd', name: 'Plato' });
    const now = openWith('migrated', third);
    const ada = { _id: 'p7', first: 'Ada', last: 'L7', age: 0 };
    expect(await now.people.get('p7')).toEqual(ada);
    expect(await now.get('people/p7')).toEqual({ _id: 'people/p7', name: 'Ada L7' });
    await now.people.update('p8', (one) => one && { ...one, age: 36 });
    const { migrated, invalid } = await now.people.migrateAll();
    expect([migrated, invalid.map(({ _id }) => _id)]).toEqual([449, ['odd']]);
    expect(await now.get('people/p7')).toEqual({ ...ada, _id: 'people/p7', _schema: 3 });
    expect(await now.people.get('p8')).toMatchObject({ age: 36 });
    expect((await now.people.migrateAll()).migrated).toBe(0);
  });

  test('keeps documents of a newer version from an older application', async () => {
    const now = openWith('newer', third);
    await now.people.put({ _id: 'a', first: 'Ada', last: 'L', age: 36 });
    const old = openWith('newer', first);
    expect(await old.people.invalid()).toMatchObject([
      { _id: 'a', issues: [{ path: '_schema', message: 'was written by version 3 of the schema' }] },
    ]);
    await expect(old.people.update('a', () => ({ name: 'x' }))).rejects.toMatchObject({
      code: 'DOC_INVALID',
    });
    expect(await now.people.get('a')).toMatchObject({ age: 36 });
  });

  test('reports documents of others without an id in the collection, and leaves them alone', async () => {
    const now = openWith('empty id', third);
    await now.put({ _id: 'people/', name: 'Nobody' });
    const { migrated, invalid } = await now.people.migrateAll();
    expect([migrated, invalid]).toMatchObject([0, [{ _id: '', issues: [{ path: '_id' }] }]]);
  });

  test('reports a document whose migration throws', async () => {
    const old = openWith('throwing', { schema: z.object({ names: z.string() }) });
    await old.people.put({ _id: 'a', names: 'x' });
    const now = openWith('throwing', third);
    expect(await now.people.invalid()).toMatchObject([
      { _id: 'a', issues: [{ path: '', message: expect.stringContaining('the migration failed: ') }] },
    ]);
  });
});

describe('a schema', () => {
  test.each([
    ['dates, which are stored as texts', z.object({ n: z.date() }), new Date(0)],
    ['another type', z.object({ n: z.string().transform(Number) }), '1'],
    ['a longer text each time', z.object({ n: z.string().transform((text) => `${text}!`) }), 'x'],
  ])('is rejected at the first write if it returns %s', async (_name, schema, n) => {
    const db = fixpoint('round trip', {
      storage: 'memory',
      collections: { items: collection('items', { schema }) },
    });
    onTestFinished(() => db.destroy());
    await expect(db.items.put({ _id: 'a', n } as never)).rejects.toMatchObject({
      code: 'DOC_INVALID',
      message: expect.stringContaining('the schema changes or rejects its own result'),
    });
    expect(await db.items.count()).toBe(0);
  });

  test('can convert values if it accepts the result unchanged', async () => {
    const schema = z.object({ at: z.coerce.date(), name: z.string().trim() });
    const db = fixpoint('converted', {
      storage: 'memory',
      collections: { items: collection('items', { schema }) },
    });
    onTestFinished(() => db.destroy());
    await db.items.put({ _id: 'a', at: '2026-11-28', name: ' x ' });
    expect(await db.items.get('a')).toEqual({ _id: 'a', at: new Date('2026-11-28'), name: 'x' });
  });

  const SCHEMAS: readonly (readonly [string, StandardSchema<{ n: number }>])[] = [
    ['Zod', z.object({ n: z.number() })],
    ['Valibot', v.object({ n: v.number() })],
    ['ArkType', type({ n: 'number' })],
    ['an asynchronous Zod schema', z.object({ n: z.number().refine(async (n) => n < 10) })],
  ];
  test.each(SCHEMAS)('can be one of %s', async (name, schema) => {
    const db = fixpoint(`schema ${name}`, {
      storage: 'memory',
      collections: { items: collection('items', { schema }) },
    });
    onTestFinished(() => db.destroy());
    await db.items.put({ _id: 'a', n: 1 });
    await db.transact((tx) => void tx.items.put({ _id: 'b', n: 2 }));
    await db.items.update('b', (one) => one && { n: one.n + 1 });
    expect((await db.items.find()).docs).toEqual([
      { _id: 'a', n: 1 },
      { _id: 'b', n: 3 },
    ]);
    const wrong = { n: 'x' } as unknown as { n: number };
    await expect(db.items.put(wrong)).rejects.toMatchObject({ code: 'DOC_INVALID', message: /items: n: / });
  });

  test.each([
    ['x y', {}, 'the name of a collection'],
    ['', {}, 'the name of a collection'],
    ['a', { schema: {} }, 'does not implement Standard Schema'],
    ['a', { version: 0 }, 'the version of a is not 1 or more'],
    ['a', { version: 2, migrate: { 3: () => ({}) } }, 'a migrates to 3, but its version is 2'],
  ])('is rejected for the collection "%s" with %j', (name, options, message) => {
    const all = { schema: z.object({}), ...options } as Parameters<typeof collection>[1];
    expect(() => collection(name, all)).toThrow(message);
  });

  test('is rejected if the database cannot have its collections', () => {
    const a = collection('a', { schema: z.object({}), indexes: [] });
    const openWith =
      (collections: Record<string, typeof a>, options = {}) =>
      () =>
        fixpoint('refused', { storage: 'memory', ...options, collections });
    expect(openWith({ database: a })).toThrow('the collection database has the name of a call');
    expect(openWith({ put: a })).toThrow('the collection put has the name of a call');
    expect(openWith({ a, b: a })).toThrow('two collections have the name a');
    const indexed = collection('i', { schema: z.object({ n: z.number() }), indexes: ['n'] });
    expect(() =>
      fixpoint('refused', { storage: 'memory', indexes: 'stored', collections: { indexed } }),
    ).toThrow('indexes is `stored`');
  });
});
