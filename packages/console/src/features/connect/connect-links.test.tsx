import { screen } from '@testing-library/react';
import type { ReactNode } from 'react';
import { useLocation } from 'react-router';
import { describe, expect, test } from 'vitest';
import { press } from '../../cloud/part.fixture.tsx';
import { drawPages, withPages } from '../../ui/pages.fixture.tsx';
import { CONNECT_PATH } from './address-form.tsx';
import { ConnectButton, SignIn } from './connect-links.tsx';

withPages();

/** Shows what the connect page receives. */
function Received() {
  const { search, state } = useLocation() as { search: string; state: unknown };
  return <output aria-label="Received">{JSON.stringify({ search, state })}</output>;
}

const draw = (Component: () => ReactNode, at = '/fp/databases/pantry') =>
  drawPages(
    [
      { path: CONNECT_PATH, Component: Received },
      { path: '*', Component },
    ],
    at,
  );

describe('the button that connects a database', () => {
  test.each(['pantry', 'constructor', '__proto__', 'a&b=c'])(
    '[S10] asks on the connect page for %s, without a parameter that would connect it already',
    async (localName) => {
      const { path } = await draw(() => <ConnectButton localName={localName} />);
      await press('Connect');
      expect(path()).toBe(CONNECT_PATH);
      expect(JSON.parse(screen.getByLabelText('Received').textContent ?? '')).toEqual({
        search: '',
        state: { localName },
      });
    },
  );

  test('says what it does instead, where another word fits', async () => {
    await draw(() => <ConnectButton localName="pantry" label="Change" tone="primary" />);
    expect(screen.getByRole('button').textContent).toBe('Change');
  });
});

test.each([
  ['/fp/databases/pantry/sharing', '/login?redirect_url=%2Ffp%2Fdatabases%2Fpantry%2Fsharing'],
  ['/fp/databases/a?find=b%20c', '/login?redirect_url=%2Ffp%2Fdatabases%2Fa%3Ffind%3Db%2520c'],
])('links from %s to the login page, which leads back', async (at, to) => {
  await draw(SignIn, at);
  expect(screen.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe(to);
});
