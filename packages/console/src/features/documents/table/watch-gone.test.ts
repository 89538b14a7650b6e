import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type WatchedDatabase, watchGone } from './watch-gone.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Returns a database of these ids, whose reads take as long as the test sets with `slow`. */
function databaseOf(ids: readonly string[]) {
  const there = new Set(ids);
  const asked: (readonly string[])[] = [];
  const listeners = new Set<() => void>();
  let tookMs = 0;
  const database: WatchedDatabase = {
    subscribe: (listener: unknown) => {
      const own = listener as () => void;
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    rows: {
      window: async ({ ids: sought = [] } = {}) => {
        asked.push(sought);
        if (tookMs > 0) await new Promise((resolve) => setTimeout(resolve, tookMs));
        return { rows: sought.filter((id) => there.has(id)).map((id) => ({ id, cells: [] })) } as never;
      },
    },
  };
  return {
    database,
    asked,
    listeners,
    del: (id: string) => {
      there.delete(id);
      for (const tell of listeners) tell();
    },
    slow: (ms: number) => {
      tookMs = ms;
    },
  };
}

const idsOf = (count: number) => Array.from({ length: count }, (_, n) => `d${n}`);

test('reports deleted documents soon, including those deleted before they were selected', async () => {
  const { database, del } = databaseOf(['a', 'b']);
  const gone: string[] = [];
  const watch = watchGone(database, (ids) => gone.push(...ids));
  watch.chosen(new Set(['a', 'b', 'never there']));
  await vi.advanceTimersByTimeAsync(100);
  expect(gone).toEqual(['never there']);
  watch.chosen(new Set(['a', 'b']));
  del('b');
  await vi.advanceTimersByTimeAsync(100);
  expect(gone).toEqual(['never there', 'b']);
});

test('checks only the added document when one more is selected', async () => {
  const { database, asked } = databaseOf(idsOf(5000));
  const watch = watchGone(database, () => undefined);
  watch.chosen(new Set(idsOf(4000)));
  await vi.advanceTimersByTimeAsync(100);
  expect(asked.map(({ length }) => length)).toEqual([1000, 1000, 1000, 1000]);
  watch.chosen(new Set(idsOf(4001)));
  await vi.advanceTimersByTimeAsync(1000);
  expect(asked.slice(4)).toEqual([['d4000']]);
});

test('runs one check at a time under constant changes, and pauses nine times as long as each check takes', async () => {
  const { database, asked, slow, del } = databaseOf(idsOf(1000));
  const gone: string[] = [];
  const watch = watchGone(database, (ids) => gone.push(...ids));
  watch.chosen(new Set(idsOf(1000)));
  slow(200);
  // A check of 0.2 s after a pause of 0.1 s, then one every 2 s.
  for (let n = 0; n < 100; n += 1) {
    del(`d${n}`);
    await vi.advanceTimersByTimeAsync(41);
  }
  expect(asked).toHaveLength(3);
  await vi.advanceTimersByTimeAsync(2000);
  expect(gone.at(-1)).toBe('d99');
});

test('stops checking after `end`, and ignores the result of a running check', async () => {
  const { database, asked, slow, del, listeners } = databaseOf(idsOf(3000));
  const gone: string[] = [];
  const watch = watchGone(database, (ids) => gone.push(...ids));
  slow(50);
  watch.chosen(new Set(idsOf(3000)));
  del('d1');
  await vi.advanceTimersByTimeAsync(110);
  watch.end();
  await vi.advanceTimersByTimeAsync(10_000);
  expect([asked.length, gone.length, listeners.size]).toEqual([1, 0, 0]);
});

test('retries a failed check after the next change', async () => {
  const { database, del } = databaseOf(['a', 'b']);
  let isBusy = true;
  const rows: WatchedDatabase['rows'] = {
    window: (options) => (isBusy ? Promise.reject(new Error('busy')) : database.rows.window(options)),
  };
  const gone: string[] = [];
  const watch = watchGone({ ...database, rows }, (ids) => gone.push(...ids));
  watch.chosen(new Set(['a', 'b']));
  del('a');
  await vi.advanceTimersByTimeAsync(1000);
  expect(gone).toEqual([]);
  isBusy = false;
  del('b');
  await vi.advanceTimersByTimeAsync(1000);
  expect(gone).toEqual(['a', 'b']);
});
