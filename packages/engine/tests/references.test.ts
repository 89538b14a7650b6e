import { expect, expectTypeOf, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { insideOf } from '../src/database/inside.ts';
import { type BridgePort, connectEngine } from '../src/entries/bridge.ts';
import { collection, type Database, type DatabaseWith, fixpoint } from '../src/entries/node.ts';
import { serveEngine } from '../src/entries/worker.ts';

const people = collection('people', { schema: z.object({ name: z.string() }) });
const lists = collection('lists', {
  schema: z.object({ title: z.string(), owner: z.string(), readers: z.array(z.string()) }),
  refs: { owner: people, readers: people },
});
const todos = collection('todos', {
  schema: z.object({ title: z.string(), list: z.string().optional() }),
  refs: { list: lists },
});
const ALL = { todos, lists, people };
type Db = DatabaseWith<typeof ALL>;

let opened = 0;
function inThread() {
  opened += 1;
  const db = fixpoint(`references-${opened}`, { storage: 'memory', collections: ALL });
  onTestFinished(() => db.destroy());
  return db;
}

/** A handle in this thread, and one in the page of an engine in a worker. */
const PLACES: Readonly<Record<string, () => Db>> = {
  'a database': inThread,
  'the page of an engine in a worker': () => {
    const { port1, port2 } = new MessageChannel();
    onTestFinished(() => port1.close());
    const db = inThread();
    serveEngine(port2 as unknown as BridgePort, () => db as unknown as Database);
    return connectEngine(port1 as unknown as BridgePort).open('page', { collections: ALL });
  },
};

async function filled(db: Db): Promise<Db> {
  await db.people.bulk([
    { _id: 'ann', name: 'Ann' },
    { _id: 'bob', name: 'Bob' },
  ]);
  await db.lists.bulk([
    { _id: 'home', title: 'Home', owner: 'ann', readers: ['bob', 'gone', 'ann'] },
    { _id: 'work', title: 'Work', owner: 'gone', readers: [] },
  ]);
  await db.todos.bulk([
    { _id: 'a', title: 'Milk', list: 'home' },
    { _id: 'b', title: 'Mail', list: 'work' },
    { _id: 'c', title: 'Tea', list: 'gone' },
    { _id: 'd', title: 'Rest' },
  ]);
  return db;
}

test.each(Object.entries(PLACES))('returns referenced documents of several levels in %s', async (_, open) => {
  const db = await filled(open());
  const ann = { _id: 'ann', name: 'Ann' };
  const home = { _id: 'home', title: 'Home', owner: 'ann', readers: ['bob', 'gone', 'ann'] };
  const work = { _id: 'work', title: 'Work', owner: 'gone', readers: [] };
  const one = await db.todos.find({ with: { list: true } });
  expect(one.docs.map(({ list }) => list)).toEqual([home, work, undefined, undefined]);
  const two = await db.todos.find({
    where: { title: 'Milk' },
    with: { list: { owner: true, readers: true } },
  });
  expect(two.docs).toEqual([
    {
      _id: 'a',
      title: 'Milk',
      list: { ...home, owner: ann, readers: [{ _id: 'bob', name: 'Bob' }, undefined, ann] },
    },
  ]);
  expect((await db.todos.find({ where: { title: 'Milk' } })).docs[0]?.list).toBe('home');
  expect((await db.todos.find({ with: {} })).docs[0]?.list).toBe('home');
});

test('returns undefined in place of a document that was deleted or breaks its schema', async () => {
  const db = await filled(inThread());
  await db.lists.del('home');
  await db.put({ _id: 'lists/work', title: 1 });
  const { docs, invalid } = await db.todos.find({ with: { list: true } });
  expect(docs.map(({ list }) => list)).toEqual([undefined, undefined, undefined, undefined]);
  expect(invalid).toEqual([]);
});

test('returns each document once without collections, all of one version', async () => {
  const db = await filled(inThread());
  await db.todos.put({ _id: 'e', title: 'Bread', list: 'home' });
  const options = {
    where: { title: { in: ['Milk', 'Bread'] } },
    with: { list: { prefix: 'lists/', with: { owner: 'people/', 'readers[]': 'people/' } } },
  };
  const { refs } = await db.find(options);
  expect(refs?.map(({ _id }) => _id)).toEqual(['lists/home', 'people/ann', 'people/bob']);
  expect(await db.find({ where: { title: 'Milk' } })).not.toHaveProperty('refs');
  // A cycle ends, because each document is read once.
  await db.bulk([
    { _id: 'x', next: 'y' },
    { _id: 'y', next: 'x' },
  ]);
  const cycle = { next: { prefix: '', with: { next: { prefix: '', with: { next: '' } } } } };
  expect((await db.find({ where: { _id: 'x' }, with: cycle })).refs?.map(({ _id }) => _id)).toEqual([
    'x',
    'y',
  ]);
  const core = await insideOf(db as unknown as Database)?.open();
  const read = vi.spyOn(core?.commits as NonNullable<typeof core>['commits'], 'read');
  await db.find(options);
  expect(read).toHaveBeenCalledTimes(1);
});

test('rejects references that are not declared, and wrong options', async () => {
  const db = await filled(inThread());
  const wrong: readonly unknown[] = [
    { title: true },
    { lists: true },
    { list: { name: true } },
    { constructor: true },
    1,
  ];
  for (const one of wrong)
    await expect(db.todos.find({ with: one as never })).rejects.toMatchObject({ code: 'QUERY_INVALID' });
  let deep: object = { a: '' };
  for (let n = 0; n < 10; n++) deep = { a: { prefix: '', with: deep } };
  for (const one of [{ a: 1 }, { a: null }, { 'a[': '' }, { a: { with: {} } }, 'a', null, deep])
    await expect(db.find({ with: one as never })).rejects.toMatchObject({ code: 'QUERY_INVALID' });
  const schema = z.object({ a: z.string() });
  expect(() => collection('x', { schema, refs: { a: schema as never } })).toThrow(/refs.a of x/);
});

test('derives the types of referenced documents from the schemas', () => {
  const calls = async (db: Db) => {
    const [todo] = (await db.todos.find({ with: { list: { owner: true, readers: true } } })).docs;
    expectTypeOf(todo?.title).toEqualTypeOf<string | undefined>();
    expectTypeOf(todo?.list?.title).toEqualTypeOf<string | undefined>();
    expectTypeOf(todo?.list?.owner?.name).toEqualTypeOf<string | undefined>();
    expectTypeOf(todo?.list?.readers[0]?.name).toEqualTypeOf<string | undefined>();
    expectTypeOf(todo?.list?._id).toEqualTypeOf<string | undefined>();
    const [flat] = (await db.todos.find({ with: { list: true } })).docs;
    expectTypeOf(flat?.list?.owner).toEqualTypeOf<string | undefined>();
    const [plain] = (await db.todos.find({ where: { title: 'a' } })).docs;
    expectTypeOf(plain?.list).toEqualTypeOf<string | undefined>();
    // @ts-expect-error: not a reference
    await db.todos.find({ with: { title: true } });
    // @ts-expect-error: not a reference of the next level
    await db.todos.find({ with: { list: { title: true } } });
    // @ts-expect-error: not a reference, beside one
    await db.todos.find({ with: { list: { owner: true, title: true } } });
    // @ts-expect-error: the collection has no references
    await db.people.find({ with: { name: true } });
    // @ts-expect-error: no such field of the referenced document
    todo?.list?.titel;
    // @ts-expect-error: a result with references can't be written
    if (todo !== undefined) await db.todos.put(todo);
  };
  expectTypeOf(calls).toBeFunction();
  const schema = z.object({ a: z.string() });
  // @ts-expect-error: no such field
  collection('x', { schema, refs: { b: people } });
  // @ts-expect-error: not a collection
  () => collection('x', { schema, refs: { a: 'people' } });
});
