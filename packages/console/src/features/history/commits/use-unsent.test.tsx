import { act, cleanup, renderHook, waitFor } from '@testing-library/react';
import type { CommitEvent, Database, DocumentVersion } from 'fixpoint';
import { afterEach, describe, expect, test } from 'vitest';
import { useIsUnsent, useUnsent } from './use-unsent.ts';

afterEach(cleanup);

/** Returns a database with one unsent event, `mine`, and one that was sent, `theirs`. */
function database(versions: readonly string[] = []) {
  const asked: string[] = [];
  const here = {
    asked,
    isSent: false,
    listeners: new Set<() => void>(),
    handle: {
      events: async () => {
        asked.push('events');
        return [
          { event: 'mine', state: here.isSent ? 'sent' : 'local' },
          { event: 'theirs', state: 'sent' },
        ] as CommitEvent[];
      },
      history: async (id: string) => {
        asked.push(`history of ${id}`);
        return versions.map((event) => ({ event }) as DocumentVersion);
      },
      subscribe: (listener: () => void) => {
        here.listeners.add(listener);
        return () => here.listeners.delete(listener);
      },
    } as unknown as Database,
  };
  return here;
}

describe('finding the events that exist only on this device', () => {
  test('finds the events while changes wait to be sent', async () => {
    const { handle } = database();
    const { result } = renderHook(() => useUnsent(handle, 1));
    expect([...result.current]).toEqual([]);
    await waitFor(() => expect([...result.current]).toEqual(['mine']));
  });

  test.each([0, undefined])('reads nothing when the number of pending changes is %s', async (toSend) => {
    const { handle, asked } = database();
    const { result } = renderHook(() => useUnsent(handle, toSend));
    await act(async () => undefined);
    expect([[...result.current], asked]).toEqual([[], []]);
  });

  test('finds no events after they were sent', async () => {
    const here = database();
    const { result, rerender } = renderHook(({ toSend }) => useUnsent(here.handle, toSend), {
      initialProps: { toSend: 1 },
    });
    await waitFor(() => expect(result.current.size).toBe(1));
    here.isSent = true;
    rerender({ toSend: 0 });
    await waitFor(() => expect(result.current.size).toBe(0));
  });
});

describe('whether a document is unsent', () => {
  test.each([
    ['true if one of its versions is only on this device', ['theirs', 'mine'], true],
    ['false if all of its versions were sent', ['theirs'], false],
  ])('is %s', async (_name, versions, expected) => {
    const { handle } = database(versions);
    const { result } = renderHook(() => useIsUnsent(handle, 'milk', 1));
    await waitFor(() => expect(result.current).toBe(expected));
  });

  test.each([
    ['without a ledger', 'milk', undefined],
    ['for a document without an id yet', undefined, 1],
  ] as const)('is unknown %s, and nothing is read', async (_name, id, toSend) => {
    const { handle, asked } = database(['mine']);
    const { result } = renderHook(() => useIsUnsent(handle, id, toSend));
    await act(async () => undefined);
    expect([result.current, asked]).toEqual([undefined, []]);
  });

  test('changes when the database changes', async () => {
    const here = database(['mine']);
    const { result } = renderHook(() => useIsUnsent(here.handle, 'milk', 1));
    await waitFor(() => expect(result.current).toBe(true));
    here.isSent = true;
    await act(async () => {
      for (const listener of here.listeners) listener();
    });
    await waitFor(() => expect(result.current).toBe(false));
  });
});
