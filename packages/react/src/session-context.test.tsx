import { act, render, renderHook, screen } from '@testing-library/react';
import type { Session, SessionState } from 'fixpoint/session';
import type { ReactNode } from 'react';
import { renderToString } from 'react-dom/server';
import { describe, expect, test, vi } from 'vitest';
import { FixpointProvider, useSession } from './index.ts';

const ADA = { userId: 'zAda', email: 'ada@example.com', name: 'Ada' };

function fakeSession(first: SessionState) {
  let state = first;
  const listeners = new Set<() => void>();
  const session: Session = {
    get user() {
      return state.user;
    },
    state: () => state,
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    ready: () => Promise.resolve(),
    signIn: () => Promise.resolve(),
    signOut: () => Promise.resolve(),
    databases: () => Promise.resolve([]),
    open: () => Promise.reject(new Error('nobody opens')),
  };
  const become = (next: SessionState) => {
    state = next;
    for (const listener of listeners) listener();
  };
  return { session, become, listeners };
}

function Greeting() {
  const { status, user } = useSession();
  return <p>{user === undefined ? status : `Hello ${user.name}`}</p>;
}

describe('useSession', () => {
  test('renders again after each change, and stops listening when it unmounts', () => {
    const { session, become, listeners } = fakeSession({ status: 'starting' });
    const { unmount } = render(
      <FixpointProvider session={session}>
        <Greeting />
      </FixpointProvider>,
    );
    screen.getByText('starting');
    act(() => become({ status: 'signed-in', user: ADA }));
    screen.getByText('Hello Ada');
    act(() => become({ status: 'signed-out' }));
    screen.getByText('signed-out');
    unmount();
    expect(listeners.size).toBe(0);
  });

  test('returns the same object while nothing changes, with the functions of the session', () => {
    const { session } = fakeSession({ status: 'signed-in', user: ADA });
    const wrapper = ({ children }: { children: ReactNode }) => (
      <FixpointProvider session={session}>{children}</FixpointProvider>
    );
    const { result, rerender } = renderHook(useSession, { wrapper });
    const before = result.current;
    rerender();
    expect(result.current).toBe(before);
    expect(before).toMatchObject({ session, status: 'signed-in', user: ADA, signIn: session.signIn });
  });

  test('renders on a server as a session that is starting', () => {
    const { session } = fakeSession({ status: 'signed-in', user: ADA });
    const html = renderToString(
      <FixpointProvider session={session}>
        <Greeting />
      </FixpointProvider>,
    );
    expect(html).toBe('<p>starting</p>');
  });

  test('fails outside of a provider', () => {
    const quiet = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    expect(() => renderHook(useSession)).toThrow(/FixpointProvider/);
    quiet.mockRestore();
  });
});
