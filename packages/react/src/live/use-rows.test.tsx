import { act, renderHook, waitFor } from '@testing-library/react';
import type { Database } from 'fixpoint';
import { rowsOf } from 'fixpoint/rows';
import { StrictMode } from 'react';
import { describe, expect, test } from 'vitest';
import { freshDatabase } from '../database.fixture.ts';
import { useRows } from './use-docs.ts';

const strict = { wrapper: StrictMode };
const many = (count: number) => Array.from({ length: count }, (_none, n) => ({ _id: `d${1000 + n}`, n }));

describe('useRows', () => {
  test('shows a window, updates the window after changes, and keeps unchanged rows', async () => {
    const db = freshDatabase();
    await db.bulk(many(300));
    const { result } = renderHook(() => useRows(db, { offset: 100, limit: 3, fields: ['n'] }), strict);
    expect(result.current).toMatchObject({ hydrated: false, rows: [] });
    await waitFor(() => expect(result.current.rows.map(({ id }) => id)).toEqual(['d1100', 'd1101', 'd1102']));
    const before = result.current.rows;
    await act(() => db.put({ _id: 'd1101', n: 'changed' }));
    await waitFor(() => expect(result.current.rows[1]?.cells[0]?.text).toBe('changed'));
    expect(result.current.rows[0]).toBe(before[0]);
    expect(result.current.rows[2]).toBe(before[2]);
    await act(() => db.del('d1000'));
    await waitFor(() => expect(result.current.rows[0]?.id).toBe('d1101'));
    const head = await db.head();
    await waitFor(() => expect(result.current).toMatchObject({ total: 299, at: 100, clock: head }));
  });

  test('loads again when the window changes, and reports invalid options as an error', async () => {
    const db = freshDatabase();
    await db.bulk(many(20));
    const { result, rerender } = renderHook(({ offset }) => useRows(db, { offset, limit: 1 }), {
      ...strict,
      initialProps: { offset: 0 },
    });
    await waitFor(() => expect(result.current.rows[0]?.id).toBe('d1000'));
    rerender({ offset: 7 });
    await waitFor(() => expect(result.current.rows[0]?.id).toBe('d1007'));
    rerender({ offset: -1 });
    await waitFor(() => expect(result.current.error).toMatchObject({ code: 'QUERY_INVALID' }));
  });

  test('reads the rows of a handle that provides rows itself, such as the handle of a worker', async () => {
    const db = freshDatabase();
    await db.put({ _id: 'a' });
    const asked: unknown[] = [];
    const rows = rowsOf(db);
    const window = (options: object) => {
      asked.push(options);
      return rows.window(options);
    };
    const bridged = { ...db, rows: { ...rows, window } } as unknown as Database;
    const { result } = renderHook(() => useRows(bridged, { limit: 5 }), strict);
    await waitFor(() => expect(result.current.rows.map(({ id }) => id)).toEqual(['a']));
    expect(asked[0]).toEqual({ limit: 5 });
  });
});
