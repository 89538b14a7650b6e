import { act, cleanup, renderHook, waitFor } from '@testing-library/react';
import type { CommitEvent, Database } from 'fixpoint';
import { afterEach, describe, expect, test } from 'vitest';
import { type Waiting, waiting } from '../../../ui/pages.fixture.tsx';
import { PAGE } from './commit-pages.ts';
import { useCommits } from './use-commits.ts';

afterEach(cleanup);

type Page = readonly CommitEvent[];

/** Returns the commits from `from` to the oldest, newest first. */
const line = (from: number): CommitEvent[] =>
  Array.from({ length: from + 1 }, (_, n) => {
    const at = from - n;
    return {
      event: `e${at}`,
      parents: at === 0 ? [] : [`e${at - 1}`],
      ids: ['milk'],
      documents: 1,
      deletedIds: [],
      deletions: 0,
      state: 'sent',
    };
  });

/** Returns a database whose reads the test answers. */
function controlled(newest: number) {
  const reads: { after: string | undefined; signal: AbortSignal | undefined; answer: Waiting<Page> }[] = [];
  const listeners = new Set<() => void>();
  const here = { rows: line(newest), failure: undefined as Error | undefined };
  const database = {
    head: async () => [here.rows[0]?.event],
    events: async ({ after, signal }: { after?: string; signal?: AbortSignal }) => {
      const answer = waiting<Page>();
      reads.push({ after, signal, answer });
      const page = await answer.promise;
      if (here.failure !== undefined) throw here.failure;
      return page;
    },
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  } as unknown as Database;
  return {
    here,
    database,
    reads,
    listeners,
    /** Answers a read with the page that it asked for. */
    answer: async (at: number) => {
      await waitFor(() => expect(reads.length).toBeGreaterThan(at));
      const after = reads[at]?.after;
      const from = after === undefined ? 0 : here.rows.findIndex(({ event }) => event === after) + 1;
      await reads[at]?.answer.come(here.rows.slice(from, from + PAGE));
    },
    change: () =>
      act(async () => {
        for (const listener of listeners) listener();
      }),
  };
}

const follow = (database: Database, toSend?: number) =>
  renderHook(({ sent }: { sent: number | undefined }) => useCommits(database, sent), {
    initialProps: { sent: toSend },
  });

describe('following the commits of a database', () => {
  test('returns nothing until the first page is read', async () => {
    const { database, answer } = controlled(3);
    const { result } = follow(database);
    expect(result.current.commits).toBe(undefined);
    await answer(0);
    expect(result.current.commits?.rows.map(({ event }) => event)).toEqual(['e3', 'e2', 'e1', 'e0']);
  });

  test('reads no further page while the user looks at the first rows', async () => {
    const { database, answer, reads } = controlled(PAGE * 2);
    const { result } = follow(database);
    await answer(0);
    await act(async () => result.current.seen(PAGE - 60));
    expect(reads).toHaveLength(1);
    expect(result.current.commits?.isAll).toBe(false);
  });

  test('reads the next page only once, before the user reaches the last row', async () => {
    const { database, answer, reads } = controlled(PAGE * 2);
    const { result } = follow(database);
    await answer(0);
    await act(async () => result.current.seen(PAGE - 40));
    await act(async () => result.current.seen(PAGE - 30));
    expect(reads.map(({ after }) => after)).toEqual([undefined, `e${PAGE + 1}`]);
    await answer(1);
    expect(result.current.commits?.rows).toHaveLength(PAGE * 2);
    expect(reads).toHaveLength(2);
  });

  test('reads no further page after the last one', async () => {
    const { database, answer, reads } = controlled(3);
    const { result } = follow(database);
    await answer(0);
    await act(async () => result.current.seen(1000));
    expect([reads.length, result.current.commits?.isAll]).toEqual([1, true]);
  });

  test('reads again after a change, and once more for changes during that read', async () => {
    const { database, answer, reads, change, here } = controlled(1);
    const { result } = follow(database);
    await answer(0);
    here.rows = line(2);
    await change();
    await change();
    await change();
    await waitFor(() => expect(reads).toHaveLength(2));
    await answer(1);
    await answer(2);
    expect(result.current.commits?.rows[0]?.event).toBe('e2');
    expect(reads).toHaveLength(3);
  });

  test('reads again when changes were sent, although no document changes', async () => {
    const { database, answer, reads, here } = controlled(1);
    const local = here.rows;
    here.rows = local.map((row): CommitEvent => ({ ...row, state: 'local' }));
    const { result, rerender } = follow(database, 2);
    await answer(0);
    expect(reads).toHaveLength(1);
    here.rows = local;
    rerender({ sent: 0 });
    await answer(1);
    expect(result.current.commits?.rows.map(({ state }) => state)).toEqual(['sent', 'sent']);
  });

  test('keeps the commits when a read fails, and clears the error after the next read', async () => {
    const { database, answer, change, here } = controlled(1);
    const { result } = follow(database);
    await answer(0);
    here.failure = new Error('broken');
    await change();
    await answer(1);
    expect(result.current.error).toEqual(new Error('broken'));
    expect(result.current.commits?.rows).toHaveLength(2);
    here.failure = undefined;
    await change();
    await answer(2);
    expect(result.current.error).toBe(undefined);
  });

  test('aborts the read and ends the subscription when the user leaves the page', async () => {
    const { database, reads, listeners } = controlled(1);
    const { unmount } = follow(database);
    await waitFor(() => expect(reads).toHaveLength(1));
    unmount();
    expect([reads[0]?.signal?.aborted, listeners.size]).toEqual([true, 0]);
  });

  test('returns the commits of another database when the page switches to that database', async () => {
    const [first, second] = [controlled(1), controlled(5)];
    const { result, rerender } = renderHook(({ database }) => useCommits(database, undefined), {
      initialProps: { database: first.database },
    });
    await waitFor(() => expect(first.reads).toHaveLength(1));
    rerender({ database: second.database });
    await second.answer(0);
    await first.answer(0);
    expect(result.current.commits?.rows[0]?.event).toBe('e5');
  });
});
