import { FixpointError } from '@fixpoint/protocol';
import { act, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ada, appWith, done, tenantCalled, userWith } from '../cloud/app.fixture.ts';
import { SESSION_KEY } from '../cloud/app.ts';
import type { SessionUser } from '../cloud/identity/session-port.ts';
import { sessionQuery } from '../cloud/queries/queries.ts';
import { withEngine } from '../engine/engine-here.fixture.ts';
import { drawPages, pageCalled, withPages } from '../ui/pages.fixture.tsx';
import { Component as CloudHome, loader as homeLoader } from './cloud._index.tsx';
import { Component as Cloud } from './cloud.tsx';

withPages();
withEngine();
afterEach(() => void vi.useRealTimers());

/** Renders the cloud's pages for Ada. Tests can change the answers of the server. */
async function draw(at = '/fp/cloud/page', tenants = [tenantCalled('t1', 'Acme')]) {
  const server: { user: () => Promise<SessionUser | undefined>; asked: number } = {
    user: async () => ada,
    asked: 0,
  };
  const parts = appWith({
    session: {
      user: () => {
        server.asked += 1;
        return server.user();
      },
    },
    api: {
      ensureUser: () => done({ user: userWith('active'), tenants }),
      listTenantsByUser: () => done(tenants),
      listLedgersByUser: () => done([]),
      listInvites: () => done([]),
    },
  });
  await parts.queries.prefetchQuery(sessionQuery(parts.session));
  const pages = await drawPages(
    [
      {
        path: '/fp/cloud',
        Component: Cloud,
        children: [
          { index: true, Component: CloudHome, loader: homeLoader },
          { path: 'page', Component: pageCalled('The page') },
          { path: 'tenants/:tenantId/*', Component: pageCalled('The tenant') },
        ],
      },
      { path: '/login', Component: pageCalled('Sign in') },
    ],
    at,
    parts,
  );
  const look = () => act(() => parts.queries.refetchQueries({ queryKey: SESSION_KEY }));
  return { ...pages, server, parts, look };
}
const notice = () => screen.queryByText(/This page shows the data that was loaded last/);

describe('the frame of the cloud’s pages', () => {
  test('redirects to the login page, with a redirect back, after the session ended elsewhere', async () => {
    const { path, server, look } = await draw('/fp/cloud/page?x=1');
    await screen.findByRole('heading', { name: 'The page' });
    server.user = async () => undefined;
    await look();
    await waitFor(() => expect(path()).toBe('/login?redirect_url=%2Ffp%2Fcloud%2Fpage%3Fx%3D1'));
  });

  test.each([
    ['unreachable', new FixpointError('FETCH', 'Failed to fetch'), 'Couldn’t reach the server.'],
    ['failing', new FixpointError('HTTP', '500'), 'The server isn’t working properly.'],
  ])('keeps the page and shows a notice while the server is %s', async (_how, problem, expected) => {
    const { server, look } = await draw();
    expect(notice()).toBe(null);
    server.user = () => Promise.reject(problem);
    await look();
    await waitFor(() => expect(notice()?.textContent).toContain(expected));
    expect(screen.getByRole('heading', { name: 'The page' })).toBeDefined();
  });

  test('asks the server again on request, and removes the notice once the server answers', async () => {
    const { server, look } = await draw();
    server.user = () => Promise.reject(new FixpointError('FETCH', 'Failed to fetch'));
    await look();
    await waitFor(() => expect(notice()).not.toBe(null));
    server.user = async () => ada;
    await act(async () => screen.getByRole('button', { name: 'Try again' }).click());
    await waitFor(() => expect(notice()).toBe(null));
  });

  test('asks again by itself when the browser is online again', async () => {
    const { server, look } = await draw();
    server.user = () => Promise.reject(new FixpointError('FETCH', 'Failed to fetch'));
    await look();
    await waitFor(() => expect(notice()).not.toBe(null));
    server.user = async () => ada;
    await act(async () => void window.dispatchEvent(new Event('online')));
    await waitFor(() => expect(notice()).toBe(null));
  });

  test('shows no second notice while the browser is offline', async () => {
    const isOnline = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    const { server, look } = await draw();
    server.user = () => Promise.reject(new FixpointError('FETCH', 'Failed to fetch'));
    await look();
    expect(screen.getByText(/^You’re offline/)).toBeDefined();
    expect(notice()).toBe(null);
    isOnline.mockReturnValue(true);
    await act(async () => void window.dispatchEvent(new Event('online')));
    await waitFor(() => expect(notice()).not.toBe(null));
    isOnline.mockRestore();
  });

  test('shows the name of the tenant in the header, and cuts a long name', async () => {
    const name = 'A'.repeat(200);
    await draw('/fp/cloud/tenants/t1/x', [tenantCalled('t1', name)]);
    const [shown] = (await screen.findAllByTitle(name)).map((one) => one.textContent ?? '');
    expect(shown?.length).toBeLessThan(name.length);
  });

  test('opens the first tenant', async () => {
    const { path } = await draw('/fp/cloud');
    await waitFor(() => expect(path()).toBe('/fp/cloud/tenants/t1/overview'));
  });

  test('shows users without a tenant how to create one, and how to work locally', async () => {
    await draw('/fp/cloud', []);
    expect((await screen.findByRole('link', { name: 'Create a tenant' })).getAttribute('href')).toBe(
      '/fp/cloud/tenants/new',
    );
    expect(screen.getByRole('link', { name: 'Work with local databases' }).getAttribute('href')).toBe(
      '/fp/databases',
    );
  });
});
