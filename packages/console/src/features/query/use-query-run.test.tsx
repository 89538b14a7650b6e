import { FixpointError } from '@fixpoint/protocol';
import { act, cleanup, renderHook, waitFor } from '@testing-library/react';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { freshLocal, withEngine } from '../../engine/engine-here.fixture.ts';
import { type QueryRun, useQueryRun } from './use-query-run.ts';

withEngine();
afterEach(cleanup);

const DOCS = Array.from({ length: 150 }, (_, n) => ({ _id: `d${String(n).padStart(3, '0')}`, n }));
const BY_NUMBER = '(doc, emit) => { emit(-doc.n); }';

const run = (database: BridgedDatabase, then?: readonly string[]) =>
  renderHook(() => useQueryRun(database, then)).result;
const rowsOf = (state: QueryRun) => (state.state === 'done' ? state.answer.rows.map(({ id }) => id) : []);
const countOf = (state: QueryRun) => (state.state === 'done' ? state.answer.count : undefined);

describe('running a query', () => {
  test('has no result before the first run', async () => {
    const result = run(await freshLocal(DOCS));
    expect(result.current.run).toEqual({ state: 'none' });
  });

  test('has the state "running" until all rows are found, in key order', async () => {
    const database = await freshLocal(DOCS);
    const result = run(database);
    let ended: Promise<void> | undefined;
    act(() => {
      ended = result.current.start(BY_NUMBER);
    });
    expect(result.current.run).toEqual({ state: 'running' });
    await act(async () => ended);
    expect(countOf(result.current.run)).toBe(150);
    expect(rowsOf(result.current.run)[0]).toBe('d149');
    expect(result.current.run).toMatchObject({ state: 'done', head: await database.head() });
  });

  test('previews the first rows in document order, and keeps the previous result until they arrive', async () => {
    const result = run(await freshLocal(DOCS));
    await act(() => result.current.start(BY_NUMBER));
    let ended: Promise<void> | undefined;
    act(() => {
      ended = result.current.preview(BY_NUMBER);
    });
    expect(countOf(result.current.run)).toBe(150);
    await act(async () => ended);
    expect(countOf(result.current.run)).toBe(100);
    expect(rowsOf(result.current.run)[0]).toBe('d000');
  });

  test('keeps only the result of the latest run', async () => {
    const result = run(await freshLocal(DOCS));
    await act(async () => {
      const first = result.current.start('(doc, emit) => { emit(1); }');
      const second = result.current.start('(doc, emit) => { if (doc.n < 3) emit(doc.n); }');
      await Promise.all([first, second]);
    });
    expect(countOf(result.current.run)).toBe(3);
  });

  test('shows no result after the user cancels the run', async () => {
    const result = run(await freshLocal(DOCS));
    let ended: Promise<void> | undefined;
    act(() => {
      ended = result.current.start(BY_NUMBER);
    });
    act(() => result.current.cancel());
    await act(async () => ended);
    expect(result.current.run).toEqual({ state: 'none' });
  });

  test('reports only the reason when the function fails', async () => {
    const result = run(await freshLocal(DOCS));
    await act(() => result.current.start('(doc) => { throw new Error("odd document"); }'));
    expect(result.current.run).toMatchObject({
      state: 'failed',
      message: expect.stringMatching(/^(?!map function failed).*odd document/),
    });
    await act(() => result.current.start(BY_NUMBER));
    expect(countOf(result.current.run)).toBe(150);
  });

  test('reads the past version that the page shows', async () => {
    const database = await freshLocal(DOCS.slice(0, 2));
    const then = await database.head();
    await database.put({ _id: 'later', n: 9 });
    const result = run(database, then);
    await act(() => result.current.start(BY_NUMBER));
    expect(countOf(result.current.run)).toBe(2);
  });

  test('drops each result that it no longer shows', async () => {
    const { result, unmount } = renderHook(({ database }) => useQueryRun(database, undefined), {
      initialProps: { database: await freshLocal(DOCS) },
    });
    await act(() => result.current.start(BY_NUMBER));
    const first = result.current.run;
    await act(() => result.current.start('(doc, emit) => { emit(doc.n); }'));
    if (first.state !== 'done') throw new Error('the first run is not done');
    expect(await first.answer.rowsOf(0, 10)).toEqual([]);
    const second = result.current.run;
    unmount();
    if (second.state !== 'done') throw new Error('the second run is not done');
    expect(await second.answer.rowsOf(0, 10)).toEqual([]);
  });

  test('prepares the sandbox before the first run, and ignores a failure of this preparation', async () => {
    const database = await freshLocal(DOCS);
    const ahead = vi.spyOn(database.rows, 'map').mockImplementation(() => {
      throw new FixpointError('STORE_FAILED');
    });
    const result = run(database);
    await waitFor(() => expect(ahead).toHaveBeenCalledTimes(1));
    expect(result.current.run).toEqual({ state: 'none' });
    await act(() => result.current.start(BY_NUMBER));
    expect(countOf(result.current.run)).toBe(150);
  });
});
