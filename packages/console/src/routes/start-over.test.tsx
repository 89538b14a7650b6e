import { act, screen } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ada, appWith } from '../cloud/app.fixture.ts';
import { UserNotActive } from '../cloud/sign-in/require-user.ts';
import { drawPages, withPages } from '../ui/pages.fixture.tsx';
import { RouteError } from './route-error.tsx';
import { Component as SecondStep } from './second-step.tsx';

withPages();
afterEach(() => void vi.unstubAllGlobals());

const throwing = (error: Error) =>
  function Page(): never {
    throw error;
  };

describe.each([
  {
    page: 'of the second step',
    route: { Component: SecondStep },
    button: 'Sign in again',
    leadsTo: '/login?redirect_url=%2Ffp%2Fcloud',
  },
  {
    page: 'for users whose access is not approved',
    route: { Component: throwing(new UserNotActive('waitlisted')), ErrorBoundary: RouteError },
    button: 'Sign out',
    leadsTo: '/login',
  },
])('on the page $page', ({ route, button, leadsTo }) => {
  async function press(problem: string | undefined): Promise<string[]> {
    vi.spyOn(console, 'error').mockReturnValue(undefined);
    const ways: string[] = [];
    vi.stubGlobal('location', {
      search: '?redirect_url=%2Ffp%2Fcloud',
      assign: (path: string) => void ways.push(path),
    });
    const session = { signOut: () => Promise.resolve(problem) };
    const parts = appWith({ user: { ...ada, emailVerified: false }, session });
    await drawPages([{ path: '/here', ...route }], '/here', parts);
    const found = await screen.findByRole('button', { name: button });
    await act(async () => found.click());
    return ways;
  }

  test('reports a failed sign-out, and keeps the user signed in', async () => {
    expect(await press('The server is busy.')).toEqual([]);
    expect(screen.getByText('Couldn’t sign you out. The server is busy.')).toBeDefined();
  });

  test('opens the login page once the session ended', async () => {
    expect(await press(undefined)).toEqual([leadsTo]);
  });
});
