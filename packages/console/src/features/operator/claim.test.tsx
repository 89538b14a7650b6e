import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import { appWith, done, refusedWith, signedIn, userWith } from '../../cloud/app.fixture.ts';
import type { App } from '../../cloud/app.ts';
import { drawPages, pageCalled, withPages } from '../../ui/pages.fixture.tsx';
import { Claim } from './claim.tsx';

withPages();
beforeEach(() => sessionStorage.clear());

const PATH = '/fp/cloud/operator/claim';
const draw = (at: string, parts: App) =>
  drawPages(
    [
      { path: PATH, Component: Claim },
      { path: '/fp/cloud/operator', Component: pageCalled('Tenants') },
      { path: '/login', Component: pageCalled('Sign in') },
    ],
    at,
    parts,
  );

describe('the page of the one-time link', () => {
  test('makes the signed-in user the operator, and removes the secret from the address and the tab', async () => {
    const sent: string[] = [];
    const parts = signedIn({
      api: {
        ensureUser: () => done({ user: userWith('active'), tenants: [] }),
        claimOperator: (secret) => {
          sent.push(secret);
          return done({ operator: true as const });
        },
      },
    });
    const { path } = await draw(`${PATH}#the-secret`, parts);
    await screen.findByText('ada@example.com');
    expect(path()).toBe(PATH);
    await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Become the operator' })));
    await waitFor(() => expect(path()).toBe('/fp/cloud/operator'));
    expect([sent, sessionStorage.length]).toEqual([['the-secret'], 0]);
  });

  test('keeps the secret while the user signs in, and shows why a link has ended', async () => {
    const { path } = await draw(`${PATH}#the-secret`, appWith({}));
    const link = await screen.findByRole('link', { name: 'Sign in' });
    expect(path()).toBe(PATH);
    expect(link.getAttribute('href')).toBe('/login?redirect_url=%2Ffp%2Fcloud%2Foperator%2Fclaim');
    document.body.replaceChildren();
    const parts = signedIn({
      api: {
        ensureUser: () => done({ user: userWith('inactive'), tenants: [] }),
        claimOperator: (secret) => refusedWith(`${secret} has ended`),
      },
    });
    await draw(PATH, parts);
    await act(
      async () => void fireEvent.click(await screen.findByRole('button', { name: 'Become the operator' })),
    );
    expect(await screen.findByText('the-secret has ended')).toBeDefined();
  });

  test('reports an address without a secret', async () => {
    await draw(PATH, appWith({}));
    expect(await screen.findByText(/This link is incomplete/)).toBeDefined();
    expect(screen.getByRole('link', { name: 'Cloud home' })).toBeDefined();
  });
});
