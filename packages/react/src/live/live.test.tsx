import { act, render, renderHook, waitFor } from '@testing-library/react';
import type { Database } from 'fixpoint';
import { useLayoutEffect, useRef } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { failingDatabase, freshDatabase } from '../database.fixture.ts';
import { useAllDocs, useChanges, useHead, useLiveQuery } from '../index.ts';

const strict = { reactStrictMode: true };

async function holding(...docs: Record<string, unknown>[]): Promise<Database> {
  const database = freshDatabase();
  await database.bulk(docs);
  return database;
}

describe('useLiveQuery', () => {
  test('shows rows and documents, and updates them after changes', async () => {
    const database = await holding({ _id: 'a', n: 2 }, { _id: 'b', n: 1 });
    const { result } = renderHook(() => useLiveQuery<{ n: number }>(database, 'n'), strict);
    expect(result.current).toEqual({ rows: [], docs: [], hydrated: false, error: undefined });
    await waitFor(() => expect(result.current.docs.map(({ n }) => n)).toEqual([1, 2]));
    expect(result.current.hydrated).toBe(true);
    expect(result.current.rows[0]).toEqual({ key: 1, id: 'b', value: null, doc: { _id: 'b', n: 1 } });
    await act(() => database.put({ _id: 'c', n: 0 }));
    await waitFor(() => expect(result.current.docs.map(({ n }) => n)).toEqual([0, 1, 2]));
    await act(() => database.del('a'));
    await waitFor(() => expect(result.current.docs.map(({ n }) => n)).toEqual([0, 1]));
  });

  test('queries only once if the map function and options are written inline, and returns the same object', async () => {
    const database = await holding({ _id: 'a', n: 2 });
    let queries = 0;
    const counted: Database = {
      ...database,
      query: (...given) => {
        queries += 1;
        return database.query(...given);
      },
    } as Database;
    const { result, rerender } = renderHook(() =>
      useLiveQuery(counted, (doc) => doc.n, { range: [0, Number.POSITIVE_INFINITY] }),
    );
    await waitFor(() => expect(result.current.hydrated).toBe(true));
    const before = result.current;
    rerender();
    rerender();
    expect(result.current).toBe(before);
    expect(queries).toBe(1);
  });

  test('queries again when the map function, the options, the deps or the database change', async () => {
    const database = await holding({ _id: 'a', n: 1, m: 2 }, { _id: 'b', n: 2 });
    const other = await holding({ _id: 'z', n: 9 });
    const keys = ({ rows }: { rows: readonly { key: unknown }[] }) => rows.map(({ key }) => key);
    const { result, rerender } = renderHook(
      ({ db, field, descending, factor }) =>
        useLiveQuery(db, (doc) => (doc[field] === undefined ? undefined : doc[field] * factor), {
          descending,
          deps: [field, factor],
        }),
      { initialProps: { db: database, field: 'n', descending: false, factor: 1 } },
    );
    await waitFor(() => expect(keys(result.current)).toEqual([1, 2]));
    rerender({ db: database, field: 'n', descending: true, factor: 1 });
    expect(result.current.hydrated).toBe(false);
    await waitFor(() => expect(keys(result.current)).toEqual([2, 1]));
    rerender({ db: database, field: 'm', descending: true, factor: 1 });
    await waitFor(() => expect(keys(result.current)).toEqual([2]));
    rerender({ db: database, field: 'm', descending: true, factor: 3 });
    await waitFor(() => expect(keys(result.current)).toEqual([6]));
    rerender({ db: other, field: 'n', descending: true, factor: 1 });
    await waitFor(() => expect(keys(result.current)).toEqual([9]));
  });

  test('returns the error of a failed load until the next load succeeds', async () => {
    const database = await holding({ _id: 'a', n: 1 }, { _id: 'bad' });
    const { result } = renderHook(() => useLiveQuery(database, (doc) => doc.n.toFixed(1)), strict);
    await waitFor(() => expect(result.current.error?.message).toMatch(/^map function failed/));
    expect(result.current).toMatchObject({ rows: [], hydrated: true });
    await act(() => database.del('bad'));
    await waitFor(() => expect(result.current.rows.map(({ key }) => key)).toEqual(['1.0']));
    expect(result.current.error).toBeUndefined();
  });

  test('starts with the given rows', () => {
    const database = freshDatabase();
    const rows = [{ key: 1, id: 'a', value: null, doc: { _id: 'a' } }];
    const { result } = renderHook(() => useLiveQuery(database, 'n', {}, rows));
    expect(result.current).toMatchObject({ rows, docs: [{ _id: 'a' }], hydrated: false });
  });

  test('unsubscribes when the component unmounts', async () => {
    const database = await holding({ _id: 'a', n: 1 });
    let listening = 0;
    const counted: Database = {
      ...database,
      subscribe: (listener, updates) => {
        listening += 1;
        const stop = database.subscribe(listener, updates);
        return () => {
          listening -= 1;
          stop();
        };
      },
    } as Database;
    const { result, unmount } = renderHook(() => useLiveQuery(counted, 'n'), strict);
    await waitFor(() => expect(result.current.hydrated).toBe(true));
    expect(listening).toBe(1);
    unmount();
    expect(listening).toBe(0);
  });
});

describe('useAllDocs and useChanges', () => {
  test('shows documents in the order of their ids (useAllDocs) or of their writes (useChanges)', async () => {
    const database = freshDatabase();
    await database.put({ _id: 'b', n: 1 });
    await database.put({ _id: 'a', n: 2 });
    const all = renderHook(() => useAllDocs<{ n: number }>(database, { limit: 10 }), strict);
    const changes = renderHook(() => useChanges(database), strict);
    await waitFor(() => expect(all.result.current.docs.map(({ _id }) => _id)).toEqual(['a', 'b']));
    await waitFor(() => expect(changes.result.current.docs.map(({ _id }) => _id)).toEqual(['b', 'a']));
    expect(all.result.current).toMatchObject({
      name: 'test',
      clock: await database.head(),
      hydrated: true,
      error: undefined,
    });
    expect(all.result.current.rows[0]).toEqual({ key: 'a', value: { _id: 'a', n: 2 } });
    await act(() => database.put({ _id: 'c', n: 3 }));
    await waitFor(() => expect(all.result.current.docs).toHaveLength(3));
    const [event] = await database.head();
    await waitFor(() => expect(changes.result.current.rows.at(-1)).toMatchObject({ key: 'c', clock: event }));
  });

  test('keeps the previous result after a failed read, and reports the reason', async () => {
    const { database, failing } = failingDatabase(await holding({ _id: 'a' }));
    failing.now = false;
    const { result } = renderHook(() => useAllDocs(database));
    await waitFor(() => expect(result.current.docs).toHaveLength(1));
    failing.now = true;
    await act(() => database.bulk([{ _id: 'b' }]));
    await waitFor(() => expect(result.current.error?.message).toBe('disk gone'));
    expect(result.current.docs).toHaveLength(1);
    failing.now = false;
    await act(() => database.bulk([{ _id: 'c' }]));
    await waitFor(() => expect(result.current.docs).toHaveLength(3));
    expect(result.current.error).toBeUndefined();
  });

  test('reports an error when the database is destroyed while mounted', async () => {
    const database = freshDatabase();
    await database.put({ _id: 'a', n: 1 });
    const all = renderHook(() => useAllDocs(database), { reactStrictMode: true });
    const gone = renderHook(() => useAllDocs(database), { reactStrictMode: true });
    await waitFor(() => expect(all.result.current.rows).toHaveLength(1));
    gone.unmount();
    await act(() => database.destroy());
    await waitFor(() => expect(all.result.current.error).toMatchObject({ code: 'DATABASE_CLOSED' }));
    expect(all.result.current.rows).toHaveLength(1);
    expect(gone.result.current.error).toBeUndefined();
  });

  test('shows only changes after the given head', async () => {
    const database = freshDatabase();
    await database.put({ _id: 'a' });
    const head = await database.head();
    await database.put({ _id: 'b' });
    const { result } = renderHook(() => useChanges(database, head));
    await waitFor(() => expect(result.current.docs.map(({ _id }) => _id)).toEqual(['b']));
  });
});

describe('a live hook', () => {
  test('keeps the objects of unchanged rows, and does not render a query again for unrelated changes', async () => {
    const database = await holding(
      { _id: 'a', n: 1, tags: ['x'], bytes: Uint8Array.of(1) },
      { _id: 'b', n: 2, _files: { f: new Blob(['text']) } },
    );
    let renders = 0;
    const { result } = renderHook(() => {
      const live = useLiveQuery(database, 'n');
      renders += 1;
      return live;
    });
    const all = renderHook(() => useAllDocs(database)).result;
    const changes = renderHook(() => useChanges(database)).result;
    await waitFor(() =>
      expect([result, all, changes].map(({ current }) => current.hydrated)).toEqual([true, true, true]),
    );
    const [before, rows, changed] = [result.current, all.current.rows, changes.current.rows];
    const rendered = renders;
    await act(() => database.put({ _id: 'c', other: true }));
    await waitFor(() => expect(all.current.rows).toHaveLength(3));
    await waitFor(() => expect(changes.current.rows).toHaveLength(3));
    expect(result.current).toBe(before);
    expect(renders).toBe(rendered);
    expect(all.current.rows.slice(0, 2).map((row, at) => row === rows[at])).toEqual([true, true]);
    expect(changes.current.rows.slice(0, 2).map((row, at) => row === changed[at])).toEqual([true, true]);
    await act(() => database.put({ _id: 'a', n: 1, tags: ['y'], bytes: Uint8Array.of(1) }));
    await waitFor(() => expect(result.current.docs[0]).toMatchObject({ tags: ['y'] }));
    expect(result.current.rows[1]).toBe(before.rows[1]);
  });

  test('logs no error when the component unmounts before its result has loaded', async () => {
    const database = await holding({ _id: 'a' });
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    let answers = 0;
    const slow = {
      ...database,
      allDocs: async () => {
        const answer = await database.allDocs();
        answers += 1;
        return answer;
      },
    } as Database;
    const { result, unmount } = renderHook(() => useAllDocs(slow), strict);
    unmount();
    await waitFor(() => expect(answers).toBeGreaterThan(0));
    expect([result.current.rows, said.mock.calls]).toEqual([[], []]);
    said.mockRestore();
  });
});

describe('useHead', () => {
  test('shows the head as soon as the database is open, and every later head', async () => {
    const database = await holding({ _id: 'a' });
    const { result } = renderHook(() => useHead(database), strict);
    const before = await database.head();
    await waitFor(() => expect(result.current).toEqual(before));
    await act(() => database.put({ _id: 'b' }));
    const after = await database.head();
    await waitFor(() => expect(result.current).toEqual(after));
    expect(after).not.toEqual(before);
  });

  /** Returns a database whose `head` resolves only when the test answers the call. */
  function waitingHeads() {
    const answers: ((head: readonly string[]) => void)[] = [];
    let changed = () => undefined as unknown;
    const database = {
      head: () => new Promise((resolve) => answers.push(resolve)),
      subscribe: (listener: () => unknown) => {
        changed = listener;
        return () => undefined;
      },
    } as unknown as Database;
    const answer = (at: number, ...head: string[]) => act(async () => answers[at]?.(head));
    return { database, answer, change: () => changed() };
  }

  test('ignores a head that arrives after a newer one', async () => {
    const { database, answer, change } = waitingHeads();
    const { result } = renderHook(() => useHead(database));
    change();
    change();
    await answer(1, 'second');
    await answer(0, 'first');
    expect(result.current).toEqual(['second']);
    await answer(2, 'third');
    expect(result.current).toEqual(['third']);
  });

  test('shows the same head in all components', async () => {
    const { database, answer, change } = waitingHeads();
    const Shown = () => <i>{useHead(database).join()} </i>;
    const seen = new Set<string | null>();
    const Both = () => {
      const element = useRef<HTMLParagraphElement>(null);
      useHead(database);
      useLayoutEffect(() => void seen.add(element.current?.textContent ?? null));
      return (
        <p ref={element}>
          <Shown />
          <Shown />
        </p>
      );
    };
    render(<Both />);
    await answer(0, 'before');
    change();
    await answer(1, 'after');
    expect([...seen]).toEqual(['  ', 'before before ', 'after after ']);
  });

  test('forgets the head when no component shows it, because it may have changed since', async () => {
    const { database, answer } = waitingHeads();
    const first = renderHook(() => useHead(database));
    await answer(0, 'before');
    expect(first.result.current).toEqual(['before']);
    first.unmount();
    const next = renderHook(() => useHead(database));
    expect(next.result.current).toEqual([]);
    await answer(1, 'after');
    expect(next.result.current).toEqual(['after']);
  });

  test('returns an empty head while the database opens', async () => {
    const { result } = renderHook(() => useHead(freshDatabase()));
    expect(result.current).toEqual([]);
  });
});
