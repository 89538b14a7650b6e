import { act, cleanup, renderHook } from '@testing-library/react';
import { afterEach, describe, expect, test } from 'vitest';
import { useGrowingLimit } from './use-growing-limit.ts';
import { useLoaded } from './use-loaded.ts';

afterEach(cleanup);

/** Returns a database whose changes and reads the test controls. */
function controlled() {
  const listeners = new Set<() => void>();
  const reads: { resolve(value: string): void; reject(error: Error): void; signal: AbortSignal }[] = [];
  const database = {
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const read = (signal: AbortSignal) =>
    new Promise<string>((resolve, reject) => reads.push({ resolve, reject, signal }));
  return {
    database: database as never,
    read,
    reads,
    listeners,
    change: () => act(async () => listeners.forEach((listener) => void listener())),
    answer: (at: number, value: string) => act(async () => reads[at]?.resolve(value)),
    fail: (at: number) => act(async () => reads[at]?.reject(new Error('broken'))),
  };
}

describe('a value read from a database', () => {
  test('is loading until the first answer', async () => {
    const { database, read, answer } = controlled();
    const { result } = renderHook(() => useLoaded(database, read));
    expect(result.current).toEqual({ value: undefined, error: undefined, isLoading: true });
    await answer(0, 'first');
    expect(result.current).toEqual({ value: 'first', error: undefined, isLoading: false });
  });

  test('stays shown while it is read again after a change', async () => {
    const { database, read, answer, change } = controlled();
    const { result } = renderHook(() => useLoaded(database, read));
    await answer(0, 'first');
    await change();
    expect(result.current.value).toBe('first');
    await answer(1, 'second');
    expect(result.current.value).toBe('second');
  });

  test('is read again only once after many changes during a read', async () => {
    const { database, read, reads, answer, change } = controlled();
    const { result } = renderHook(() => useLoaded(database, read));
    await change();
    await change();
    await change();
    expect(reads).toHaveLength(1);
    await answer(0, 'old');
    expect(reads).toHaveLength(2);
    await answer(1, 'current');
    expect(result.current.value).toBe('current');
    expect(reads).toHaveLength(2);
  });

  test('stays shown when a later read fails, and the next answer clears the error', async () => {
    const { database, read, answer, change, fail } = controlled();
    const { result } = renderHook(() => useLoaded(database, read));
    await answer(0, 'first');
    await change();
    await fail(1);
    expect(result.current).toMatchObject({ value: 'first', error: new Error('broken') });
    await change();
    await answer(2, 'second');
    expect(result.current).toEqual({ value: 'second', error: undefined, isLoading: false });
  });

  test('aborts the read and ends the subscription when the user leaves the page', async () => {
    const { database, read, reads, listeners } = controlled();
    const { unmount } = renderHook(() => useLoaded(database, read));
    unmount();
    expect(reads[0]?.signal.aborted).toBe(true);
    expect(listeners.size).toBe(0);
  });
});

describe('the limit of a long list', () => {
  const seen = (result: { current: ReturnType<typeof useGrowingLimit> }, to: number, count: number) =>
    act(() => result.current.seen(to, count));

  test('grows before the user reaches the end', () => {
    const { result } = renderHook(() => useGrowingLimit());
    seen(result, 100, 200);
    expect(result.current.limit).toBe(200);
    seen(result, 160, 200);
    expect(result.current.limit).toBe(400);
  });

  test('doesn’t grow when all rows are loaded', () => {
    const { result } = renderHook(() => useGrowingLimit());
    seen(result, 120, 120);
    expect(result.current.limit).toBe(200);
  });
});
