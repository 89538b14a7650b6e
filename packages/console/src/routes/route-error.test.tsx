import { FixpointError } from '@fixpoint/protocol';
import { screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { drawPages, pageCalled, withPages } from '../ui/pages.fixture.tsx';
import { PageError, RouteError } from './route-error.tsx';

withPages();
beforeEach(() => void vi.spyOn(console, 'error').mockReturnValue(undefined));
afterEach(() => void vi.restoreAllMocks());

/** Opens a page whose loader or component throws this. */
const draw = (thrown: unknown, where: 'loader' | 'component' = 'loader') => {
  const fail = () => {
    throw thrown;
  };
  return drawPages(
    [
      { path: '/start', Component: pageCalled('Start') },
      {
        path: '/broken',
        ...(where === 'loader' ? { loader: fail, Component: pageCalled('Never') } : { Component: fail }),
        ErrorBoundary: PageError,
      },
    ],
    '/broken',
  );
};
const links = () => screen.getAllByRole('link').map((one) => one.textContent);

describe('a page that failed', () => {
  test.each(['loader', 'component'] as const)('shows why its %s failed, with links', async (where) => {
    await draw(new FixpointError('STORE_UNREADABLE'), where);
    expect((await screen.findByRole('alert')).textContent).toMatch(/couldn’t open its storage/);
    expect(links()).toEqual(['Cloud home', 'Local databases']);
    expect(screen.getByRole('button', { name: 'Try again' })).toBeDefined();
  });

  test('shows the status of an answer without a reason', async () => {
    await draw(new Response(null, { status: 503, statusText: 'Service Unavailable' }));
    expect((await screen.findByRole('alert')).textContent).toContain('503 Service Unavailable');
  });

  test('shows the heading “Not found” for status 404', async () => {
    await draw(new Response(null, { status: 404 }));
    expect(await screen.findByRole('heading', { name: 'Not found' })).toBeDefined();
    expect(screen.queryByRole('alert')).toBe(null);
  });

  test('offers no Back button if the failed page was the first page', async () => {
    // Tests of other pages may leave a state behind.
    history.replaceState(null, '');
    await draw(new Error('broken'));
    await screen.findByRole('alert');
    expect(screen.queryByRole('button', { name: 'Back' })).toBe(null);
  });

  test('offers a Back button after another page', async () => {
    history.replaceState({ idx: 1 }, '');
    await draw(new Error('broken'));
    expect(await screen.findByRole('button', { name: 'Back' })).toBeDefined();
    history.replaceState(null, '');
  });

  test('shows the thrown error as text, even if it contains markup', async () => {
    await draw(new Error('<img src=x>'));
    expect((await screen.findByRole('alert')).textContent).toContain('<img src=x>');
    expect(document.querySelector('img')).toBe(null);
  });

  test('replaces the whole console if no page can be shown', async () => {
    const fail = () => {
      throw new TypeError('error loading dynamically imported module');
    };
    await drawPages([{ path: '/', Component: fail, ErrorBoundary: RouteError }], '/');
    expect((await screen.findByRole('alert')).textContent).toMatch(/Couldn’t load part of the console/);
    expect(screen.getByRole('main')).toBeDefined();
  });
});
