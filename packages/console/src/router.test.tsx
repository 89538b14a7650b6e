import { QueryClientProvider } from '@tanstack/react-query';
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { RouterProvider } from 'react-router';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ada, appWith, done, tenantCalled, userWith } from './cloud/app.fixture.ts';
import { type App, AppContext } from './cloud/app.ts';
import { withEngine } from './engine/engine-here.fixture.ts';
import { createRouter } from './router.tsx';
import { Toaster } from './ui/overlays/toaster.tsx';
import { withPages } from './ui/pages.fixture.tsx';

withPages();
withEngine();

let router: ReturnType<typeof createRouter> | undefined;
beforeEach(() => {
  window.scrollTo = () => undefined;
});
afterEach(() => {
  router?.dispose();
  router = undefined;
  vi.restoreAllMocks();
});

/** Opens the console at an address, as the browser does. */
async function open(address: string, parts: App = appWith({})) {
  history.replaceState(null, '', address);
  const own = createRouter(parts);
  router = own;
  await act(async () => {
    render(
      <AppContext value={parts}>
        <QueryClientProvider client={parts.queries}>
          <Toaster>
            <RouterProvider router={own} />
          </Toaster>
        </QueryClientProvider>
      </AppContext>,
    );
  });
  return {
    path: () => own.state.location.pathname + own.state.location.search,
    go: (to: string) => act(() => own.navigate(to)),
  };
}

const tenant = {
  ...tenantCalled('t1', 'Acme'),
  tenant: { name: 'Acme', status: 'active', limits: {} },
} as never;
const signedIn = (status = 'active') =>
  appWith({
    user: ada,
    api: {
      ensureUser: () => done({ user: userWith(status), tenants: [tenant] }),
      listTenantsByUser: () => done([tenant]),
      listLedgersByUser: () => done([]),
      listInvites: () => done([]),
      cloudSessionToken: () => done('token'),
    },
  });
const leadsTo = async (address: string, expected: string, parts?: App) => {
  const { path } = await open(address, parts);
  await waitFor(() => expect(path()).toBe(expected));
};

describe('the router of the console', () => {
  test.each(['/', '/fp'])('leads from %s to the cloud, and from there to the login page', async (address) => {
    await leadsTo(address, '/login?redirect_url=%2Ffp%2Fcloud');
  });

  test('leads to the local databases where an app serves the console', async () => {
    document.documentElement.dataset['mounted'] = '';
    await leadsTo('/', '/fp/databases');
    delete document.documentElement.dataset['mounted'];
  });

  test.each(['/fp/cloud/account', '/fp/cloud/tenants/t1/members?x=1', '/fp/cloud/api/token?back_url=x'])(
    'asks signed-out users of %s to sign in, and returns there',
    async (address) => {
      await leadsTo(address, `/login?redirect_url=${encodeURIComponent(address)}`);
    },
  );

  test('leads signed-in users from the cloud to their first tenant', async () => {
    await leadsTo('/fp/cloud', '/fp/cloud/tenants/t1/overview', signedIn());
    expect(await screen.findByRole('heading', { level: 1, name: 'Acme' })).toBeDefined();
  });

  test('leads from a tenant to its overview', async () => {
    await leadsTo('/fp/cloud/tenants/t1', '/fp/cloud/tenants/t1/overview', signedIn());
  });

  test('keeps out users whom the operator has not approved', async () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined);
    await open('/fp/cloud/account', signedIn('waitlisted'));
    expect((await screen.findByRole('alert')).textContent).toMatch(/Your account is waitlisted/);
    const shown = screen.getAllByRole('navigation').map((one) => one.getAttribute('aria-label'));
    expect(shown).toEqual(['About Fixpoint']);
  });

  test.each([
    ['/unknown', 0],
    ['/fp/databases/new/more/and/more', 1],
  ])('says that %s doesn’t exist', async (address, sidebars) => {
    await open(address);
    expect(await screen.findByText('This page doesn’t exist.')).toBeDefined();
    expect(screen.queryAllByRole('navigation', { name: 'Local databases' })).toHaveLength(sidebars);
  });

  test('needs no account for local databases', async () => {
    await leadsTo('/fp/databases', '/fp/databases');
    expect(await screen.findByRole('heading', { level: 1, name: 'Local databases' })).toBeDefined();
  });
});

describe('every page', () => {
  test('is announced to screen readers by its title, except for the first page', async () => {
    const { go } = await open('/fp/databases');
    await screen.findByRole('heading', { level: 1, name: 'Local databases' });
    const said = () =>
      [...document.querySelectorAll('p[aria-live="polite"]')].map((one) => one.textContent).join('');
    expect(said()).toBe('');
    await go('/fp/databases/new');
    await waitFor(() => expect(said()).toBe('New local database · Fixpoint'));
  });

  test('handles the keyboard shortcuts of the console', async () => {
    await open('/fp/databases');
    await screen.findByRole('heading', { level: 1, name: 'Local databases' });
    await act(async () => void fireEvent.keyDown(document.body, { key: '?' }));
    expect(await screen.findByRole('dialog', { name: 'Keyboard shortcuts' })).toBeDefined();
  });
});
