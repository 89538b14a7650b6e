import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { ReactNode } from 'react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { ada, appWith, done, tenantCalled, userWith } from '../../cloud/app.fixture.ts';
import type { App } from '../../cloud/app.ts';
import { freshLocal, withEngine } from '../../engine/engine-here.fixture.ts';
import { showToast } from '../../ui/overlays/toaster.tsx';
import { drawPages, pageCalled, withPages } from '../../ui/pages.fixture.tsx';
import { CommandKeys } from './command-keys.tsx';
import { PaletteButton } from './palette-button.tsx';

withPages();
withEngine();
beforeEach(() => {
  localStorage.clear();
  document.documentElement.classList.remove('dark');
});

const tenant = { ...tenantCalled('t1', 'Acme'), limits: {} };
const signedIn = (session = {}): App =>
  appWith({
    user: ada,
    session,
    api: {
      ensureUser: () => done({ user: userWith('active'), tenants: [tenant] }),
      listTenantsByUser: () => done([tenant]),
      listLedgersByUser: () =>
        done([
          {
            ledgerId: 'l1',
            tenantId: 't1',
            name: 'notes',
            ownerId: 'u1',
            maxShares: 5,
            createdAt: '',
            updatedAt: '',
          },
        ]),
    },
  });

/** Renders pages of a local database, a tenant and others, inside `CommandKeys`. */
async function draw(at = '/fp/databases/pantry', content: ReactNode = null, parts: App = appWith({})) {
  function Page() {
    return (
      <CommandKeys>
        <PaletteButton />
        <main>
          <h1>Page</h1>
          {content}
        </main>
      </CommandKeys>
    );
  }
  const inDatabase = { loader: () => ({ localName: 'pantry', exists: true }), Component: Page };
  const pages = await drawPages(
    [
      { path: '/fp/databases/:name', ...inDatabase },
      { path: '/fp/databases/:name/*', ...inDatabase },
      { path: '/fp/databases', Component: Page },
      { path: '/fp/cloud', Component: Page },
      { path: '/fp/cloud/tenants/:tenantId/ledgers/:ledgerId/*', Component: Page },
      { path: '/fp/cloud/tenants/:tenantId/*', Component: Page },
      { path: '/login', Component: pageCalled('Sign in') },
      { path: '*', Component: Page },
    ],
    at,
    parts,
  );
  await screen.findByRole('heading', { name: 'Page' });
  return pages;
}

interface Modifiers {
  readonly ctrlKey?: boolean;
  readonly metaKey?: boolean;
  readonly repeat?: boolean;
}
/** Presses keys one by one where the focus is; returns whether the browser handles the last key. */
async function press(keys: string, more: Modifiers = {}): Promise<boolean> {
  let isLeft = true;
  for (const key of keys.split(' '))
    await act(async () => {
      isLeft = fireEvent.keyDown(document.activeElement ?? document.body, { key, ...more });
    });
  return isLeft;
}
const ctrl = (key: string) => press(key, { ctrlKey: true });
const palette = () => screen.findByRole('dialog', { name: 'Search and commands' });
const sheet = () => screen.findByRole('dialog', { name: 'Keyboard shortcuts' });
const isDialogOpen = () => screen.queryByRole('dialog') !== null;
const field = () => screen.findByRole<HTMLInputElement>('combobox', { name: 'Search and commands' });
const type = async (value: string) => {
  const found = await field();
  await act(async () => void fireEvent.change(found, { target: { value } }));
};
const options = () => screen.queryAllByRole('option').map((one) => one.querySelector('span')?.textContent);
const pick = async (label: string) => {
  const found = await screen.findByRole('option', { name: new RegExp(`^${label}`) });
  await act(async () => found.click());
};

describe('a page', () => {
  test.each([
    ['g d', '/fp/databases/pantry'],
    ['g h', '/fp/databases/pantry/history'],
    ['g q', '/fp/databases/pantry/query'],
    ['n', '/fp/databases/pantry/docs/new'],
    ['g l', '/fp/databases'],
    ['g c', '/fp/cloud'],
  ])('handles the keys %s: opens %s', async (keys, expected) => {
    const { path } = await draw('/fp/databases/pantry/docs/milk');
    expect(await press(keys)).toBe(false);
    await waitFor(() => expect(path()).toBe(expected));
  });

  test.each(['n', 'g d', 'g h', 'g q'])('ignores the keys %s where no database is open', async (keys) => {
    const { path } = await draw('/fp/databases');
    expect(await press(keys)).toBe(true);
    expect(path()).toBe('/fp/databases');
  });

  test('opens the pages of a database in the cloud', async () => {
    const { path } = await draw('/fp/cloud/tenants/t1/ledgers/l1/sharing');
    expect(await press('g h')).toBe(false);
    await waitFor(() => expect(path()).toBe('/fp/cloud/tenants/t1/ledgers/l1/history'));
  });

  test('switches between light and dark, and back', async () => {
    await draw();
    await press('t');
    expect(document.documentElement.classList.contains('dark')).toBe(true);
    await press('t');
    expect(document.documentElement.classList.contains('dark')).toBe(false);
  });

  test('focuses the search field of the page, where there is one', async () => {
    await draw('/', <input type="search" aria-label="Find" />);
    expect(await press('/')).toBe(false);
    expect(document.activeElement).toBe(screen.getByRole('searchbox', { name: 'Find' }));
  });

  test('leaves the search key to the browser on a page without a search', async () => {
    await draw();
    expect(await press('/')).toBe(true);
  });

  test('ignores letters that are typed into a text field', async () => {
    const { path } = await draw('/fp/databases/pantry', <input aria-label="Name" />);
    screen.getByLabelText('Name').focus();
    expect(await press('n')).toBe(true);
    expect(await press('t')).toBe(true);
    expect(path()).toBe('/fp/databases/pantry');
    expect(document.documentElement.classList.contains('dark')).toBe(false);
  });

  test('ignores a key that is held down', async () => {
    await draw();
    await press('t', { repeat: true });
    expect(document.documentElement.classList.contains('dark')).toBe(false);
  });

  test('undoes the last action while its message is shown, and only then', async () => {
    let undone = 0;
    await draw();
    expect(await ctrl('z')).toBe(true);
    act(() => showToast('Deleted milk.', { undo: () => (undone += 1) }));
    expect(await ctrl('z')).toBe(false);
    expect([undone, screen.queryByText('Deleted milk.')]).toEqual([1, null]);
    expect(await ctrl('z')).toBe(true);
  });

  test('leaves undo in a text field to the field', async () => {
    let undone = 0;
    await draw('/', <input aria-label="Name" />);
    act(() => showToast('Deleted milk.', { undo: () => (undone += 1) }));
    screen.getByLabelText('Name').focus();
    expect(await ctrl('z')).toBe(true);
    expect(undone).toBe(0);
  });

  test('ignores keys while a dialog waits for an answer', async () => {
    const { path } = await draw(
      '/fp/databases/pantry',
      <div role="dialog">
        <button type="button">Delete</button>
      </div>,
    );
    screen.getByRole('button', { name: 'Delete' }).focus();
    expect([await press('n'), await ctrl('k')]).toEqual([true, true]);
    expect(path()).toBe('/fp/databases/pantry');
  });
});

describe('the sheet of shortcuts', () => {
  test('opens with ?, and closes with its button', async () => {
    await draw();
    await press('?');
    await sheet();
    await act(async () => screen.getByRole('button', { name: 'Done' }).click());
    await waitFor(() => expect(isDialogOpen()).toBe(false));
  });

  test('turns single keys off, also on the next page, but keeps shortcuts with Ctrl', async () => {
    const { path } = await draw();
    await press('?');
    const box = within(await sheet()).getByRole<HTMLInputElement>('checkbox');
    expect(box.checked).toBe(true);
    await act(async () => box.click());
    await act(async () => screen.getByRole('button', { name: 'Done' }).click());
    await waitFor(() => expect(isDialogOpen()).toBe(false));
    await press('g c');
    await press('?');
    expect([path(), isDialogOpen()]).toEqual(['/fp/databases/pantry', false]);
    await ctrl('k');
    await palette();
  });
});

describe('the palette', () => {
  test('opens and closes with Ctrl+K', async () => {
    await draw();
    expect(await ctrl('k')).toBe(false);
    await palette();
    await ctrl('k');
    await waitFor(() => expect(isDialogOpen()).toBe(false));
  });

  test('opens with its button, which shows the keys', async () => {
    await draw();
    const button = screen.getByRole('button', { name: /^Search and commands/ });
    expect([button.title, button.getAttribute('aria-keyshortcuts')]).toEqual([
      'Search and commands (Ctrl K)',
      'Control+K',
    ]);
    await act(async () => button.click());
    await palette();
  });

  test('keeps text typed before the palette has loaded', async () => {
    await draw();
    // Without a pause, so that the script of the palette can't have arrived.
    const now = (key: string, ctrlKey = false) =>
      act(() => void fireEvent.keyDown(document.body, { key, ctrlKey }));
    now('k', true);
    for (const key of ['q', 'x', 'Backspace', 'u']) now(key);
    expect(isDialogOpen()).toBe(false);
    expect((await field()).value).toBe('qu');
  });

  test('starts empty each time', async () => {
    await draw();
    await ctrl('k');
    await type('zebra');
    await ctrl('k');
    await waitFor(() => expect(isDialogOpen()).toBe(false));
    await ctrl('k');
    expect((await field()).value).toBe('');
  });

  test('lists local databases for everybody, and opens the chosen one', async () => {
    await freshLocal([], 'cellar');
    const { path } = await draw();
    await ctrl('k');
    await type('cellar');
    await pick('cellar');
    await waitFor(() => expect(path()).toBe('/fp/databases/cellar'));
    expect(isDialogOpen()).toBe(false);
  });

  test('lists tenants and their databases once the cloud has answered', async () => {
    const { path } = await draw('/', null, signedIn());
    await ctrl('k');
    await type('notes');
    await waitFor(() => expect(options()).toContain('notes'));
    expect(screen.getByTitle('Acme')).toBeDefined();
    await pick('notes');
    await waitFor(() => expect(path()).toBe('/fp/cloud/tenants/t1/ledgers/l1/documents'));
  });

  test('offers signed-out users no page that needs an account', async () => {
    await draw();
    await ctrl('k');
    await waitFor(() => expect(options()).toContain('Sign in'));
    expect(options()).not.toContain('Your account');
    expect(options()).not.toContain('Sign out');
  });

  test('signs the user out', async () => {
    const signOut = vi.fn(() => Promise.resolve(undefined));
    const { path } = await draw('/', null, signedIn({ signOut }));
    await ctrl('k');
    await type('sign out');
    await pick('Sign out');
    await waitFor(() => expect(path()).toBe('/login'));
    expect(signOut).toHaveBeenCalledTimes(1);
  });

  test('finds a text in the documents of the open database', async () => {
    const { path } = await draw();
    await ctrl('k');
    await type('50% off');
    await pick('Find "50% off"');
    await waitFor(() => expect(path()).toBe('/fp/databases/pantry?find=50%25%20off'));
  });

  test('copies a link to the page', async () => {
    const copied: string[] = [];
    vi.spyOn(navigator.clipboard, 'writeText').mockImplementation(async (text) => void copied.push(text));
    await draw('/fp/databases/pantry?find=x');
    await ctrl('k');
    await type('copy a link');
    await pick('Copy a link');
    expect(await screen.findByText('Link copied.')).toBeDefined();
    expect(copied).toEqual([`${location.origin}/fp/databases/pantry?find=x`]);
    vi.restoreAllMocks();
  });

  test('says how to copy the link when the browser blocks it', async () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined);
    vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('denied'));
    await draw();
    await ctrl('k');
    await type('copy a link');
    await pick('Copy a link');
    expect((await screen.findByRole('alert')).textContent).toMatch(/Copy it from the address bar instead/);
    vi.restoreAllMocks();
  });

  test('is replaced by the sheet of shortcuts when the user chooses that command', async () => {
    await draw();
    await ctrl('k');
    await type('keyboard');
    await pick('Keyboard shortcuts');
    await sheet();
    expect(screen.getAllByRole('dialog')).toHaveLength(1);
  });
});
