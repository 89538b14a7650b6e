/** Tests a server that fails while the user fills in a form. */
import { FixpointError } from '@fixpoint/protocol';
import { act, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { ada, appWith, done, refused, userWith } from '../cloud/app.fixture.ts';
import { SESSION_KEY } from '../cloud/app.ts';
import { requireUser } from '../cloud/sign-in/require-user.ts';
import { drawPages, withPages } from '../ui/pages.fixture.tsx';
import { action, Component } from './cloud.tenants.new.tsx';
import { RouteError } from './route-error.tsx';

withPages();
afterEach(() => void vi.restoreAllMocks());

const failure = (text: string) => {
  const error = new FixpointError('HTTP');
  error.message = text;
  return error;
};

/** Renders the form for a new tenant, behind the gate of cloud pages. */
async function form(user: () => Promise<typeof ada | undefined>) {
  vi.spyOn(console, 'error').mockReturnValue(undefined);
  const parts = appWith({
    session: { user },
    api: {
      ensureUser: () => done({ user: userWith('active'), tenants: [] }),
      createTenant: () => refused(failure('HTTP: 503 Service Unavailable')),
    },
  });
  await drawPages(
    [
      {
        ErrorBoundary: RouteError,
        children: [
          {
            path: '/fp/cloud',
            middleware: [requireUser],
            children: [{ path: 'tenants/new', Component, action }],
          },
        ],
      },
      { path: '/login', element: 'Sign in' },
    ],
    '/fp/cloud/tenants/new',
    parts,
  );
  return parts;
}

test('keeps the form and its typed text, and shows the failure next to the form', async () => {
  let fails = false;
  const parts = await form(async () => {
    if (fails) throw failure('503 Service Unavailable');
    return ada;
  });
  const field = await screen.findByLabelText<HTMLInputElement>('Name');
  await act(async () => void fireEvent.change(field, { target: { value: 'Acme' } }));
  fails = true;
  await act(() => parts.queries.invalidateQueries({ queryKey: SESSION_KEY, refetchType: 'none' }));
  await act(async () => field.form?.requestSubmit());
  expect((await screen.findByRole('alert')).textContent).toMatch(/503 Service Unavailable/);
  expect([field.isConnected, field.value]).toEqual([true, 'Acme']);
});

test('lets nobody in while the session can’t be checked, and shows the failure', async () => {
  await form(() => Promise.reject(failure('500 Internal Server Error')));
  expect((await screen.findByRole('alert')).textContent).toMatch(/500 Internal Server Error/);
  expect(screen.queryByLabelText('Name')).toBe(null);
});
