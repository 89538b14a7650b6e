// @vitest-environment happy-dom
import { act, renderHook, waitFor } from '@testing-library/react';
import type { Attached, Remote, SyncStatus } from 'fixpoint';
import { describe, expect, test } from 'vitest';
import { freshDatabase } from './database.fixture.ts';
import { useAttach, useFixpoint, useSyncStatus } from './index.ts';

function fakeRemote() {
  const seen = { attached: 0, detached: 0 };
  const listeners = new Set<(status: SyncStatus) => void>();
  let status: SyncStatus = { state: 'connecting', toSend: 0, toFetch: 0 };
  const attached: Attached = {
    status: () => ({ ...status }),
    onStatus: (fn) => {
      listeners.add(fn);
      return () => void listeners.delete(fn);
    },
    synced: () => Promise.resolve(),
    detach: async () => {
      seen.detached += 1;
    },
  };
  const remote: Remote = {
    attach: async () => {
      seen.attached += 1;
      return attached;
    },
  };
  const become = (next: SyncStatus) => {
    status = next;
    for (const listener of listeners) listener(next);
  };
  return { remote, seen, become };
}

describe('useAttach and useSyncStatus', () => {
  test('attaches once, shows the status, and detaches with the component', async () => {
    const database = freshDatabase();
    const { remote, seen, become } = fakeRemote();
    const { result, unmount } = renderHook(
      () => {
        const attach = useAttach(database, remote);
        return { attach, status: useSyncStatus(attach.attached) };
      },
      { reactStrictMode: true },
    );
    expect(result.current).toMatchObject({ attach: { state: 'initial' }, status: undefined });
    await waitFor(() => expect(result.current.status?.state).toBe('connecting'));
    const before = result.current.status;
    act(() => become({ state: 'connecting', toSend: 0, toFetch: 0 }));
    expect(result.current.status).toBe(before);
    act(() => become({ state: 'catching-up', toSend: 2, toFetch: 1 }));
    expect(result.current.status).toEqual({ state: 'catching-up', toSend: 2, toFetch: 1 });
    unmount();
    await waitFor(() => expect(seen).toEqual({ attached: 1, detached: 1 }));
  });

  test('says why it could not attach', async () => {
    const database = freshDatabase();
    const remote: Remote = { attach: () => Promise.reject(new Error('no such ledger')) };
    const { result } = renderHook(() => useAttach(database, remote), { reactStrictMode: true });
    await waitFor(() =>
      expect(result.current).toMatchObject({ state: 'error', error: { message: 'no such ledger' } }),
    );
  });

  test('attaches nothing without a remote', async () => {
    const { result } = renderHook(() => useAttach(freshDatabase(), undefined));
    expect(result.current).toEqual({ state: 'initial' });
  });
});

describe('useFixpoint', () => {
  test('binds the hooks to a database, the same ones at each render', async () => {
    const database = freshDatabase();
    await database.put({ _id: 'a', n: 1 });
    const { remote, seen } = fakeRemote();
    const { result, rerender } = renderHook(() => {
      const bound = useFixpoint(database, { attach: remote });
      return {
        bound,
        live: bound.useLiveQuery('n'),
        all: bound.useAllDocs(),
        changes: bound.useChanges(),
        note: bound.useDocument({ _id: 'a' }),
      };
    });
    await waitFor(() => expect(result.current.bound.attach.state).toBe('attached'));
    await waitFor(() => expect(result.current.live.docs).toEqual([{ _id: 'a', n: 1 }]));
    await waitFor(() => expect(result.current.note.doc).toEqual({ _id: 'a', n: 1 }));
    await waitFor(() => expect(result.current.all.rows.length + result.current.changes.rows.length).toBe(2));
    const before = result.current.bound;
    rerender();
    expect(result.current.bound).toBe(before);
    expect(before.database).toBe(database);
    expect(seen.attached).toBe(1);
  });
});
