import { act, renderHook, waitFor } from '@testing-library/react';
import { fixpoint } from 'fixpoint';
import type { Session, SessionOpened, SessionState } from 'fixpoint/session';
import type { ReactNode } from 'react';
import { expect, test } from 'vitest';
import { FixpointProvider, useSessionDatabase } from './index.ts';

const person = (userId: string): SessionState => ({
  status: 'signed-in',
  user: { userId, email: `${userId}@example.com`, name: userId },
});

interface Answer {
  readonly resolve: (opened: SessionOpened) => void;
  readonly reject: (cause: Error) => void;
}

/** A session whose databases the test opens, one call after another. */
function arranged(first: SessionState) {
  let state = first;
  const listeners = new Set<() => void>();
  const calls: { readonly asked: readonly unknown[]; readonly answer: Answer }[] = [];
  const session = {
    state: () => state,
    onChange: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    open: (...asked: unknown[]) =>
      new Promise<SessionOpened>((resolve, reject) => calls.push({ asked, answer: { resolve, reject } })),
  } as unknown as Session;
  const wrapper = ({ children }: { children: ReactNode }) => (
    <FixpointProvider session={session}>{children}</FixpointProvider>
  );
  const become = (next: SessionState) =>
    act(() => {
      state = next;
      for (const listener of listeners) listener();
    });
  return { wrapper, become, calls };
}

const opened = (name: string) =>
  ({ database: fixpoint(name, { storage: 'memory' }), attached: {} }) as unknown as SessionOpened;

test('opens a database when somebody signs in, and another one for the next person', async () => {
  const { wrapper, become, calls } = arranged({ status: 'starting' });
  const { result, rerender } = renderHook(() => useSessionDatabase('zNotes', { kind: 'open-key' }), {
    wrapper,
  });
  expect(result.current).toMatchObject({ state: 'waiting', database: undefined });
  become(person('zAda'));
  expect(result.current.state).toBe('opening');
  expect(calls.map(({ asked }) => asked)).toEqual([['zNotes', { kind: 'open-key' }]]);
  const ofAda = opened('of-ada');
  await act(async () => calls[0]?.answer.resolve(ofAda));
  expect(result.current).toMatchObject({ state: 'open', ...ofAda });
  rerender();
  expect(calls).toHaveLength(1);
  become(person('zBen'));
  expect(result.current).toMatchObject({ state: 'opening', database: undefined, attached: undefined });
  become({ status: 'signed-out' });
  await act(async () => calls[1]?.answer.resolve(opened('of-ben')));
  expect(result.current).toMatchObject({ state: 'waiting', database: undefined });
});

test('says why a database could not be opened, and tries again', async () => {
  const { wrapper, calls } = arranged(person('zAda'));
  const { result, rerender } = renderHook(({ id }) => useSessionDatabase(id), {
    wrapper,
    initialProps: { id: undefined as string | undefined },
  });
  expect([result.current.state, calls.length]).toEqual(['waiting', 0]);
  rerender({ id: 'zNotes' });
  await act(async () => calls[0]?.answer.reject(new Error('no line')));
  expect(result.current).toMatchObject({ state: 'error', error: new Error('no line') });
  act(() => result.current.retry());
  expect(result.current).toMatchObject({ state: 'opening', error: undefined });
  await act(async () => calls[1]?.answer.resolve(opened('again')));
  await waitFor(() => expect(result.current.state).toBe('open'));
});
