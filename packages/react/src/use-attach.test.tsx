import { act, renderHook, waitFor } from '@testing-library/react';
import { type Attached, type CloudOptions, type Remote, type SyncStatus, toCloud } from 'fixpoint';
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
    held: () => Promise.reject(new Error('nobody asks')),
    withheld: () => Promise.resolve([]),
    removeEntries: () => Promise.resolve(),
    kind: () => undefined,
    devices: {} as Attached['devices'],
    presence: {} as Attached['presence'],
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
  test('attaches once, shows the status, and detaches when the component unmounts', async () => {
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

  test('reports why the database could not attach', async () => {
    const database = freshDatabase();
    const remote: Remote = { attach: () => Promise.reject(new Error('no such ledger')) };
    const { result } = renderHook(() => useAttach(database, remote), { reactStrictMode: true });
    await waitFor(() =>
      expect(result.current).toMatchObject({ state: 'error', error: { message: 'no such ledger' } }),
    );
  });

  test('retries on request', async () => {
    const database = freshDatabase();
    const { remote, seen } = fakeRemote();
    let isThere = false;
    const late: Remote = {
      attach: (...given) => (isThere ? remote.attach(...given) : Promise.reject(new Error('not yet'))),
    };
    const { result } = renderHook(() => useAttach(database, late), { reactStrictMode: true });
    await waitFor(() => expect(result.current.state).toBe('error'));
    const { retry } = result.current;
    isThere = true;
    act(() => retry());
    await waitFor(() => expect(result.current.state).toBe('attached'));
    expect(result.current.retry).toBe(retry);
    act(() => retry());
    expect(seen.attached).toBe(1);
  });

  test.each([
    ['options', (options: CloudOptions) => options],
    ['toCloud', toCloud],
  ])(
    'uses the token function of the latest render, and does not attach again when this function changes: %s',
    async (_, target) => {
      const database = freshDatabase();
      const asked: string[] = [];
      const options = (by: string) => ({
        base: 'http://127.0.0.1:1',
        tenant: 't',
        ledger: 'l',
        token: () => {
          asked.push(by);
          return Promise.reject(new Error('signed out'));
        },
      });
      const { result, rerender } = renderHook(({ by }) => useAttach(database, target(options(by))), {
        initialProps: { by: 'first' },
      });
      await waitFor(() => expect(asked).toContain('first'));
      await waitFor(() => expect(result.current.attached).toBeDefined());
      const { attached } = result.current;
      rerender({ by: 'second' });
      await waitFor(() => expect(asked).toContain('second'));
      expect(result.current.attached).toBe(attached);
      expect(asked.lastIndexOf('first')).toBeLessThan(asked.indexOf('second'));
    },
  );

  test('attaches again when an option changes, other than a function', async () => {
    const database = freshDatabase();
    const base = 'http://127.0.0.1:1';
    const { result, rerender } = renderHook(
      ({ token, kind }: Pick<CloudOptions, 'token' | 'kind'>) => {
        const { attach } = useFixpoint(database, {
          attach: toCloud({ base, tenant: 't', ledger: 'l', token, ...(kind && { kind }) }),
        });
        return attach;
      },
      { initialProps: { token: 'one' } as Pick<CloudOptions, 'token' | 'kind'> },
    );
    const another = async (than?: Attached) => {
      await waitFor(() => expect([undefined, than]).not.toContain(result.current.attached));
      return result.current.attached;
    };
    const first = await another();
    rerender({ token: 'one' });
    expect(result.current.attached).toBe(first);
    rerender({ token: 'two' });
    const second = await another(first);
    rerender({ token: 'two', kind: 'sealed' });
    await another(second);
  });

  test('attaches nothing without a remote', async () => {
    const { result } = renderHook(() => useAttach(freshDatabase(), undefined));
    expect(result.current).toEqual({ state: 'initial', retry: expect.any(Function) });
  });
});

describe('useFixpoint', () => {
  test('binds the hooks to a database, and returns the same hooks in each render', async () => {
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
