import { act, cleanup, renderHook, waitFor } from '@testing-library/react';
import type { CommitEvent, Database } from 'fixpoint';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type People, whoWrote } from '../../values/who-wrote.ts';
import { useKnownPeople } from './use-known-people.ts';

afterEach(cleanup);

const PEOPLE: People = new Map([['u1', { name: 'Ada', email: 'ada@example.com' }]]);
const received = { atMs: 1, account: 'u1' };

function databaseOf(first: readonly Partial<CommitEvent>[]) {
  let events = first;
  const listeners = new Set<() => void>();
  const read = vi.fn(async () => events);
  const database = {
    events: read,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as unknown as Database;
  return {
    database,
    read,
    become: (next: readonly Partial<CommitEvent>[]) =>
      act(async () => {
        events = next;
        for (const listener of listeners) listener();
      }),
  };
}

const nameOf = (device: string, people: People) => whoWrote({ device }, undefined, people).name;

describe('the people of a database', () => {
  test('finds the owners of devices from which the gateway received events', async () => {
    const { database } = databaseOf([{ device: 'aaaaaaaa', received }, { device: 'bbbbbbbb' }]);
    const { result } = renderHook(() => useKnownPeople(database, PEOPLE));
    await waitFor(() => expect(nameOf('aaaaaaaa', result.current)).toBe('A device of Ada'));
    expect(nameOf('bbbbbbbb', result.current)).toBe('Device bbbbbb');
    expect(result.current.get('u1')).toEqual(PEOPLE.get('u1'));
  });

  test('finds further devices after further events', async () => {
    const { database, become } = databaseOf([]);
    const { result } = renderHook(() => useKnownPeople(database, PEOPLE));
    expect(nameOf('cccccccc', result.current)).toBe('Device cccccc');
    await become([{ device: 'cccccccc', received }]);
    await waitFor(() => expect(nameOf('cccccccc', result.current)).toBe('A device of Ada'));
  });

  test('reads no events of a database that nobody shares', async () => {
    const { database, read } = databaseOf([{ device: 'aaaaaaaa', received }]);
    const { result } = renderHook(() => useKnownPeople(database, undefined));
    await act(async () => undefined);
    expect([result.current.size, read.mock.calls.length]).toEqual([0, 0]);
  });
});
