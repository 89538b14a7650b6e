import { act, cleanup, renderHook, waitFor } from '@testing-library/react';
import type { ConflictingDocument, Database } from 'fixpoint';
import { afterEach, expect, test, vi } from 'vitest';
import { freshDatabase } from '../database.fixture.ts';
import { useConflicts } from './use-docs.ts';

afterEach(cleanup);

const conflict = (id: string, event: string): ConflictingDocument => ({
  id,
  winner: { event, parents: [], concurrent: true },
  losers: [{ event: `${event}-lost`, parents: [], concurrent: true }],
});

/** Returns a database whose conflicts the test sets. */
function withConflicts() {
  const listeners = new Set<(conflicts: readonly ConflictingDocument[]) => void>();
  let now: readonly ConflictingDocument[] | Error = [];
  const database = {
    conflicts: async () => {
      if (now instanceof Error) throw now;
      return { conflicts: structuredClone(now), unread: [] };
    },
    onConflicts: (listener: (conflicts: readonly ConflictingDocument[]) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onClosed: () => () => undefined,
  } as unknown as Database;
  const set = (next: typeof now) =>
    act(async () => {
      now = next;
      for (const listener of listeners) listener([]);
    });
  return { database, set, listeners };
}

test('shows conflicts as they begin and end, and keeps unchanged ones the same objects', async () => {
  const { database, set, listeners } = withConflicts();
  const { result, unmount } = renderHook(() => useConflicts(database), { reactStrictMode: true });
  expect(result.current).toMatchObject({ conflicts: [], hydrated: false });
  await waitFor(() => expect(result.current.hydrated).toBe(true));
  await set([conflict('milk', 'a')]);
  const [milk] = result.current.conflicts;
  expect(milk?.winner.event).toBe('a');
  await set([conflict('milk', 'a'), conflict('rice', 'b')]);
  expect(result.current.conflicts.map(({ id }) => id)).toEqual(['milk', 'rice']);
  expect(result.current.conflicts[0]).toBe(milk);
  await set(new Error('damaged'));
  expect(result.current.error?.message).toBe('damaged');
  expect(result.current.conflicts).toHaveLength(2);
  await set([]);
  expect(result.current).toMatchObject({ conflicts: [], error: undefined });
  unmount();
  expect(listeners.size).toBe(0);
});

test('does not load conflicts again for writes that change none', async () => {
  const database = freshDatabase();
  const { result } = renderHook(() => useConflicts(database));
  await waitFor(() => expect(result.current.hydrated).toBe(true));
  const load = vi.spyOn(database, 'conflicts');
  await act(async () => {
    for (let n = 0; n < 5; n++) await database.put({ _id: 'a', n });
    await database.head();
  });
  expect(await database.conflicts()).toEqual([]);
  expect(load.mock.calls.length).toBeLessThan(3);
});
