import { act, renderHook, waitFor } from '@testing-library/react';
import { collection, type DatabaseWith } from 'fixpoint';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { failingDatabase, freshDatabase } from '../database.fixture.ts';
import { useFind, useFixpoint } from '../index.ts';

interface Todo {
  title: string;
  rank: number;
}

const TODOS = [
  { _id: 'a', title: 'Milk', rank: 3 },
  { _id: 'b', title: 'Bread', rank: 1 },
  { _id: 'c', title: 'Tea', rank: 2 },
];

const todos = collection('todos', { schema: z.object({ title: z.string(), rank: z.number() }) });

describe('useFind', () => {
  test('shows the valid and the invalid documents of a collection', async () => {
    const database = freshDatabase({ collections: { todos } }) as DatabaseWith<{ todos: typeof todos }>;
    const where = { rank: { gte: 2 } };
    const { result } = renderHook(() => useFind(database.todos, { where, sort: { rank: 'asc' } }));
    expect(result.current).toEqual({
      docs: [],
      next: undefined,
      hydrated: false,
      error: undefined,
      invalid: [],
    });
    await act(() => database.todos.bulk(TODOS));
    const shown = () => [result.current.docs, result.current.invalid].map((all) => all.map(({ _id }) => _id));
    await waitFor(() => expect(shown()).toEqual([['c', 'a'], []]));
    await act(() => database.bulk([{ _id: 'todos/x', rank: 9 }], { del: ['todos/c'] }));
    await waitFor(() => expect(shown()).toEqual([['a'], ['x']]));
    expect(result.current.docs[0]?.rank.toFixed()).toBe('3');
    await act(() => database.close());
    await waitFor(() => expect(result.current.error).toMatchObject({ code: 'DATABASE_CLOSED' }));
  });

  test('shows the documents that match, in order, and updates them after changes', async () => {
    const database = freshDatabase();
    await database.bulk(TODOS);
    const { result } = renderHook(
      () => useFind<Todo>(database, { where: { rank: { gte: 2 } }, sort: { rank: 'asc' } }),
      { reactStrictMode: true },
    );
    const titles = () => result.current.docs.map(({ title }) => title);
    expect(result.current).toEqual({ docs: [], next: undefined, hydrated: false, error: undefined });
    await waitFor(() => expect(titles()).toEqual(['Tea', 'Milk']));
    await act(() => database.put({ _id: 'd', title: 'Salt', rank: 2.5 }));
    await waitFor(() => expect(titles()).toEqual(['Tea', 'Salt', 'Milk']));
    await act(() => database.del('c'));
    await waitFor(() => expect(titles()).toEqual(['Salt', 'Milk']));
  });

  test('searches again when the options change, and continues after a page with `next`', async () => {
    const database = freshDatabase();
    await database.bulk(TODOS);
    const { result, rerender } = renderHook(
      ({ after }: { after?: string | undefined }) =>
        useFind<Todo>(database, { sort: { rank: 'asc' }, limit: 2, after }),
      { initialProps: {} },
    );
    await waitFor(() => expect(result.current.docs.map(({ _id }) => _id)).toEqual(['b', 'c']));
    rerender({ after: result.current.next });
    await waitFor(() => expect(result.current.docs.map(({ _id }) => _id)).toEqual(['a']));
    expect(result.current.next).toBeUndefined();
  });

  test('shows the documents that contain words, as the text and the documents change', async () => {
    const database = freshDatabase({ indexes: [{ text: ['title'] }] });
    await database.bulk(TODOS);
    const { result, rerender } = renderHook(({ search }) => useFind<Todo>(database, { search, limit: 10 }), {
      initialProps: { search: 'm' },
    });
    const ids = () => result.current.docs.map(({ _id }) => _id);
    await waitFor(() => expect(ids()).toEqual(['a']));
    await act(() => database.put({ _id: 'd', title: 'More milk, and milk', rank: 4 }));
    await waitFor(() => expect(ids().toSorted()).toEqual(['a', 'd']));
    rerender({ search: 'bread' });
    await waitFor(() => expect(ids()).toEqual(['b']));
  });

  test('keeps unchanged documents as the same objects, and the same list if nothing changed', async () => {
    const database = freshDatabase();
    await database.bulk(TODOS);
    const { result } = renderHook(() => useFind<Todo>(database, { where: { rank: { gte: 2 } } }));
    await waitFor(() => expect(result.current.docs).toHaveLength(2));
    const before = result.current.docs;
    await act(() => database.put({ _id: 'b', title: 'White bread', rank: 1 }));
    await act(() => database.put({ _id: 'c', title: 'Green tea', rank: 2 }));
    await waitFor(() => expect(result.current.docs[1]?.title).toBe('Green tea'));
    expect(result.current.docs[0]).toBe(before[0]);
  });

  test('reports a failure and keeps the documents', async () => {
    const { database, failing } = failingDatabase(freshDatabase());
    failing.now = false;
    await database.put({ _id: 'a', title: 'Milk', rank: 3 });
    const { result } = renderHook(() => useFixpoint(database).useFind<Todo>());
    await waitFor(() => expect(result.current.docs).toHaveLength(1));
    failing.now = true;
    await act(() => database.bulk([{ _id: 'b' }]));
    await waitFor(() => expect(result.current.error?.message).toBe('disk gone'));
    expect(result.current.docs).toHaveLength(1);
  });
});
