/** Collections in React: `useFixpoint`, `useFind` and `useDocument`. */
import { act, cleanup, renderHook, waitFor } from '@testing-library/react';
import { collection, type Database, type DatabaseOf, type DatabaseWith, fixpoint } from 'fixpoint';
import { type BridgePort, connectEngine } from 'fixpoint/bridge';
import { serveEngine } from 'fixpoint/worker';
import { afterEach, describe, expect, expectTypeOf, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { useAllDocs, useChanges, useDocument, useFind, useFixpoint, useLiveQuery } from './index.ts';

const schema = z.object({ title: z.string().min(1), done: z.boolean().default(false) });
const todos = collection('todos', { schema });
const lists = collection('lists', { schema: z.object({ title: z.string(), size: z.number() }) });
type Db = DatabaseWith<{ todos: typeof todos }>;

const strict = { reactStrictMode: true };
const memory = { storage: 'memory' } as const;
let names = 0;
const freshName = () => {
  names += 1;
  return `collections-in-react-${names}`;
};
const destroyLater = (name: string) =>
  onTestFinished(async () => {
    cleanup();
    await fixpoint(name, memory).destroy();
  });
afterEach(cleanup);

/** A handle in this thread, and a handle of a page whose engine runs in a worker. */
const PLACES: Readonly<Record<string, (name: string) => Db>> = {
  'a database': (name) => fixpoint(name, { ...memory, collections: { todos } }),
  'the page of an engine in a worker': (name) => {
    const { port1, port2 } = new MessageChannel();
    onTestFinished(() => port1.close());
    serveEngine(port2 as BridgePort, (own, options) => fixpoint(own, { ...options, ...memory }));
    return connectEngine(port1 as BridgePort).open(name, { collections: { todos } });
  },
};

describe('useFixpoint with collections', () => {
  test('returns a database with typed collections, whose documents useFind shows', async () => {
    const name = freshName();
    destroyLater(name);
    const { result } = renderHook(() => {
      const { database: db } = useFixpoint(name, { ...memory, collections: { todos, lists } });
      return { db, open: useFind(db.todos, { where: { done: false } }) };
    }, strict);
    await act(() => result.current.db.todos.put({ title: 'Milk' }));
    await waitFor(() => expect(result.current.open.docs).toMatchObject([{ title: 'Milk', done: false }]));
    const id = result.current.open.docs[0]?._id as string;
    await act(() => result.current.db.todos.update(id, (todo) => todo && { ...todo, done: true }));
    await waitFor(() => expect(result.current.open.docs).toEqual([]));
    expect(await result.current.db.lists.count()).toBe(0);
  });

  test('shares a handle between components with equal collections, which are written inline', async () => {
    const name = freshName();
    destroyLater(name);
    const shown = (collections: Parameters<typeof useFixpoint>[1] & object) =>
      renderHook(() => useFixpoint(name, { ...memory, ...collections }).database, strict).result;
    const [one, two] = [{ collections: { todos } }, { collections: { todos } }].map(shown);
    const [none, other] = [{}, { collections: { todos, lists } }].map(shown);
    expect(one?.current).toBe(two?.current);
    const handles = [one, none, other].map((each) => each?.current as Database & Partial<Db>);
    expect(new Set(handles).size).toBe(3);
    expect(handles.map((db) => db.todos?.name)).toEqual(['todos', undefined, 'todos']);
    await handles[0]?.todos?.put({ _id: 'a', title: 'Milk' });
    expect(await handles[1]?.get('todos/a')).toMatchObject({ title: 'Milk' });
  });

  test('opens one handle for a component that defines a collection in each render', () => {
    const name = freshName();
    destroyLater(name);
    const handles = new Set<unknown>();
    const { rerender } = renderHook(() => {
      const inside = { todos: collection('todos', { schema }) };
      handles.add(useFixpoint(name, { ...memory, collections: inside }).database);
    });
    for (let n = 0; n < 3; n++) rerender();
    expect(handles.size).toBe(1);
  });

  test('opens another handle when the collections change', () => {
    const name = freshName();
    destroyLater(name);
    const { result, rerender } = renderHook(
      (collections: { todos: typeof todos; lists?: typeof lists }) =>
        useFixpoint(name, { ...memory, collections: { ...collections } }).database,
      { initialProps: { todos } as { todos: typeof todos; lists?: typeof lists } },
    );
    const first = result.current;
    rerender({ todos, lists });
    expect(result.current).not.toBe(first);
    expect(result.current).toHaveProperty('lists');
  });
});

describe.each(Object.entries(PLACES))('useDocument of a collection in %s', (_place, open) => {
  const start = () => {
    const name = freshName();
    destroyLater(name);
    return open(name);
  };

  test('shows the stored document and its changes, and stores edits in the form of the schema', async () => {
    const db = start();
    await db.todos.put({ _id: 'a', title: 'Milk' });
    const { result } = renderHook(() => useDocument(db.todos, { _id: 'a', title: '', done: false }), strict);
    await waitFor(() => expect(result.current.doc).toEqual({ _id: 'a', title: 'Milk', done: false }));
    await act(() => db.todos.put({ _id: 'b', title: 'Tea' }));
    await act(() => db.put({ _id: 'a', title: 'not in the collection' }));
    await act(() => db.todos.update('a', (todo) => todo && { ...todo, title: 'Oat milk' }));
    await waitFor(() => expect(result.current.doc.title).toBe('Oat milk'));
    act(() => result.current.merge({ done: true }));
    await act(() => result.current.save());
    expect(await db.get('todos/a')).toEqual({ _id: 'todos/a', title: 'Oat milk', done: true });
    expect(result.current).toMatchObject({ edited: false, error: undefined });
    await act(() => result.current.remove());
    await expect(db.todos.get('a')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('keeps the id of the first save, and an edit that breaks the schema', async () => {
    const db = start();
    const { result } = renderHook(() => useDocument(db.todos, { title: '', done: false }), strict);
    await act(async () => expect(result.current.save()).rejects.toMatchObject({ code: 'DOC_INVALID' }));
    expect(result.current.error).toMatchObject({ code: 'DOC_INVALID' });
    act(() => result.current.merge({ title: 'Milk' }));
    await act(() => result.current.save());
    act(() => result.current.merge({ title: 'Tea' }));
    await act(() => result.current.save());
    const { _id } = result.current.doc;
    expect((await db.todos.find()).docs).toEqual([{ _id, title: 'Tea', done: false }]);
    expect(_id).not.toContain('todos');
  });

  test('reports a stored document that breaks the schema', async () => {
    const db = start();
    await db.put({ _id: 'todos/a', title: 5 });
    const { result } = renderHook(() => useDocument(db.todos, { _id: 'a', title: '', done: false }), strict);
    await waitFor(() => expect(result.current.error).toMatchObject({ code: 'DOC_INVALID' }));
    expect(result.current.doc.title).toBe('');
    await act(() => db.close());
    await waitFor(() => expect(result.current.error).toMatchObject({ code: 'DATABASE_CLOSED' }));
  });
});

test('shows referenced documents, and their changes', async () => {
  const owned = collection('owned', { schema: z.object({ list: z.string() }), refs: { list: lists } });
  const name = freshName();
  const db = fixpoint(name, { ...memory, collections: { owned, lists } });
  destroyLater(name);
  await db.lists.put({ _id: 'home', title: 'Home', size: 1 });
  await db.owned.put({ _id: 'a', list: 'home' });
  const { result } = renderHook(() => useFind(db.owned, { with: { list: true } }), strict);
  const titles = () => result.current.docs.map(({ list }) => list?.title);
  await waitFor(() => expect(titles()).toEqual(['Home']));
  const [before] = result.current.docs;
  await act(() => db.put({ _id: 'other' }));
  expect(result.current.docs[0]).toBe(before);
  await act(() => db.lists.put({ _id: 'home', title: 'House', size: 1 }));
  await waitFor(() => expect(titles()).toEqual(['House']));
  await act(() => db.lists.del('home'));
  await waitFor(() => expect(titles()).toEqual([undefined]));
});

test('derives the types of hooks from the type of the documents', () => {
  interface Note {
    title: string;
    pages?: number;
  }
  const calls = (handle: DatabaseOf<Note>, untyped: Database) => {
    const used = useFixpoint<Note>('notes');
    expectTypeOf(used.database).toEqualTypeOf<DatabaseOf<Note>>();
    expectTypeOf(useFixpoint(handle).database).toEqualTypeOf<DatabaseOf<Note>>();
    type Found = readonly (Note & { _id: string })[];
    expectTypeOf(used.useFind({ where: { pages: { gt: 1 } } }).docs).toEqualTypeOf<Found>();
    expectTypeOf(used.useAllDocs().docs).toEqualTypeOf<Found>();
    expectTypeOf(useFind(handle, { sort: { pages: 'asc' } }).docs).toEqualTypeOf<Found>();
    expectTypeOf(useAllDocs(handle).docs).toEqualTypeOf<Found>();
    expectTypeOf(useChanges(handle).docs).toEqualTypeOf<Found>();
    expectTypeOf(useLiveQuery(handle, 'title').docs).toEqualTypeOf<Found>();
    expectTypeOf(useDocument(handle, { title: '' }).doc.pages).toEqualTypeOf<number | undefined>();
    expectTypeOf(useFind<Note>(untyped).docs).toEqualTypeOf<Found>();
    expectTypeOf(useFind(untyped, { where: { any: 1 } }).docs[0]?.['any']).toBeUnknown();
    expectTypeOf(useAllDocs(untyped).docs[0]?.['any']).toBeUnknown();
    // @ts-expect-error: no such field
    used.useFind({ where: { titel: 'a' } });
    // @ts-expect-error: no such field
    used.useLiveQuery('titel');
    // @ts-expect-error: a wrong value
    useFind(handle, { where: { pages: 'a' } });
    // @ts-expect-error: no such field
    useLiveQuery(handle, 'titel');
    // @ts-expect-error: a wrong type
    useDocument(handle, { title: 1 });
  };
  expectTypeOf(calls).toBeFunction();
});

test('derives the types of hooks from the schemas', () => {
  type Todo = { title: string; done: boolean };
  const calls = (handle: Db) => {
    const { database: db, useLiveQuery: useBoundQuery } = useFixpoint('shop', {
      collections: { todos, lists },
    });
    expectTypeOf(db).toEqualTypeOf<DatabaseWith<{ todos: typeof todos; lists: typeof lists }>>();
    expectTypeOf(useFixpoint(handle).database).toEqualTypeOf<Db>();
    expectTypeOf(useFixpoint('shop').database).toEqualTypeOf<Database>();
    expectTypeOf(useFixpoint().database).toEqualTypeOf<Database>();
    expectTypeOf(useBoundQuery).toBeFunction();
    const found = useFind(db.todos, { where: { done: false }, sort: { title: 'asc' } });
    expectTypeOf(found.docs[0]).toExtend<(Todo & { _id: string }) | undefined>();
    const draft = useDocument(db.todos, { title: '', done: false });
    expectTypeOf(draft.doc).toExtend<Todo & { readonly _id?: string }>();
    // @ts-expect-error: no such field
    draft.doc.titel;
    draft.merge({ done: true });
    // @ts-expect-error: no such field
    draft.merge({ dnoe: true });
    // @ts-expect-error: a wrong type
    draft.merge({ done: 'yes' });
    // @ts-expect-error: a field that the schema lacks
    useDocument(db.todos, { title: '', done: false, rank: 1 });
    // @ts-expect-error: a missing field
    useDocument(db.todos, { title: '' });
    // @ts-expect-error: no such field
    useFind(db.todos, { where: { titel: 'a' } });
    // @ts-expect-error: a wrong type
    useFind(db.lists, { where: { size: '1' } });
    // @ts-expect-error: no such collection
    db.notes;
    // @ts-expect-error: not a collection
    useFixpoint('shop', { collections: { todos: schema } });
    // @ts-expect-error: a wrong type
    void db.todos.put({ title: 1 });
    // @ts-expect-error: a field that the schema lacks
    void db.todos.update('x', (todo) => todo && { ...todo, titel: 'a' });
    // @ts-expect-error: a handle that is open has its collections already
    useFixpoint(handle, { collections: { todos } });
  };
  expectTypeOf(calls).toBeFunction();
});
