import { FixpointError } from '@fixpoint/protocol';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ada, appWith } from '../../cloud/app.fixture.ts';
import type { Session, SessionUser } from '../../cloud/identity/session-port.ts';
import { hasButton } from '../../cloud/part.fixture.tsx';
import { useSession } from '../../cloud/queries/use-cloud.ts';
import { drawPages, pageCalled, waiting, withPages } from '../../ui/pages.fixture.tsx';
import { UserButton } from './user-button.tsx';

withPages();
beforeEach(() => localStorage.clear());
afterEach(() => {
  delete document.documentElement.dataset['mounted'];
});

/**
 * Renders the button, and a text once it is known whether somebody is signed in. Tests can wait for
 * this text even if the button stays hidden.
 */
function Header() {
  const { isSuccess } = useSession();
  return (
    <>
      <UserButton />
      {isSuccess && <p>Session known</p>}
    </>
  );
}

async function header(session: Partial<Session>, at = '/fp/databases?view=all') {
  const page = await drawPages(
    [
      { path: '/login', Component: pageCalled('Login') },
      { path: '/fp/cloud/account', Component: pageCalled('Account') },
      { path: '*', Component: Header },
    ],
    at,
    appWith({ session }),
  );
  return page;
}
const signedInAs = (user: SessionUser | undefined) => ({ user: () => Promise.resolve(user) });
const button = (name: RegExp) => screen.findByRole<HTMLButtonElement>('button', { name });

describe('the user in the header', () => {
  test('links to the login page, which leads back to this page with its search parameters', async () => {
    const { path } = await header(signedInAs(undefined));
    const link = await screen.findByRole('link', { name: /Sign in/ });
    await act(async () => link.click());
    expect(path()).toBe('/login?redirect_url=%2Ffp%2Fdatabases%3Fview%3Dall');
  });

  test('shows nothing to press until it is known whether somebody is signed in', async () => {
    const answer = waiting<SessionUser | undefined>();
    await header({ user: () => answer.promise });
    expect([screen.queryByRole('link'), hasButton(/./)]).toEqual([null, false]);
    await answer.come(ada);
    await button(/Account of Ada/);
  });

  test('hides the sign-in link on an app’s dev server, which has no cloud', async () => {
    document.documentElement.dataset['mounted'] = '';
    const answer = waiting<SessionUser | undefined>();
    await header({ user: () => answer.promise });
    await answer.come(undefined);
    await screen.findByText('Session known');
    expect(screen.queryByRole('link')).toBeNull();
  });

  test('truncates a long name visually, but not for screen readers', async () => {
    const name = 'Augusta Ada King, Countess of Lovelace';
    await header(signedInAs({ ...ada, name }));
    const shown = await button(/Account of Augusta Ada King, Countess of Lovelace,\s*Augusta Ada …$/);
    expect(shown.title).toBe(`${name} (ada@example.com)`);
  });

  test('shows the last known user while the server can’t be reached', async () => {
    localStorage.setItem('lastKnown', JSON.stringify({ '["session"]': ada }));
    await header({ user: () => Promise.reject(new FixpointError('FETCH')) });
    await button(/Account of Ada/);
  });

  test('offers to sign in when the server can’t be reached and no last user is known', async () => {
    await header({ user: () => Promise.reject(new FixpointError('FETCH')) });
    await screen.findByRole('link', { name: /Sign in/ });
  });
});

describe('the menu of the user', () => {
  async function openMenu(session: Partial<Session> = {}) {
    const page = await header({ ...signedInAs(ada), ...session });
    // Disabled until the script of the menu has loaded.
    const trigger = () => screen.getByRole<HTMLButtonElement>('button', { name: /Account of Ada/ });
    await waitFor(() => expect(trigger().disabled).toBe(false));
    await act(async () => void fireEvent.click(trigger()));
    await screen.findByRole('menu');
    return page;
  }

  test('shows the address of the account, and links to the account page', async () => {
    const { path } = await openMenu();
    expect(screen.getByRole('menu').textContent).toContain('ada@example.com');
    await act(async () => screen.getByRole('menuitem', { name: 'Your account' }).click());
    await waitFor(() => expect(path()).toBe('/fp/cloud/account'));
  });

  test('signs out, and leads to the login page', async () => {
    let ended = 0;
    const signOut = async () => {
      ended += 1;
      return undefined;
    };
    const { path } = await openMenu({ signOut });
    await act(async () => screen.getByRole('menuitem', { name: 'Sign out' }).click());
    await waitFor(() => expect([ended, path()]).toEqual([1, '/login']));
  });

  test('stays signed in when the session couldn’t be ended, and says why', async () => {
    const { path } = await openMenu({ signOut: async () => 'The server is busy.' });
    await act(async () => screen.getByRole('menuitem', { name: 'Sign out' }).click());
    expect((await screen.findByRole('alert')).textContent).toContain(
      'Couldn’t sign you out. The server is busy.',
    );
    expect(path()).toBe('/fp/databases?view=all');
    await button(/Account of Ada/);
  });
});
