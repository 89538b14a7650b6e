import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { signedIn, tenantCalled } from '../cloud/app.fixture.ts';
import { freshLocal, freshName, withEngine } from '../engine/engine-here.fixture.ts';
import { databasePath } from '../local/database-path.ts';
import { openLocal, storageNames } from '../local/databases.ts';
import { setLocked } from '../local/lock.ts';
import { saveQuery } from '../local/saved-queries.ts';
import { drawPages, pageCalled, withPages } from '../ui/pages.fixture.tsx';
import { withSizes } from '../ui/sizes.fixture.ts';
import { Component as Databases } from './databases._index.tsx';
import { Component as AllDocuments } from './databases.$name._index.tsx';
import { Component as Document } from './databases.$name.docs.$id.tsx';
import { Component as History } from './databases.$name.history.tsx';
import { Component as Query } from './databases.$name.query.tsx';
import { Component as Settings } from './databases.$name.settings.tsx';
import { Component as Sharing } from './databases.$name.sharing.tsx';
import { Component as Database, loader as databaseLoader, ErrorBoundary } from './databases.$name.tsx';
import { Component as Connect, loader as connectLoader } from './databases.connect.tsx';
import { action as createAction, Component as NewDatabase } from './databases.new.tsx';
import { Component as Frame } from './databases.tsx';
import { Component as NotFound } from './not-found.tsx';

withPages();
withEngine();
withSizes();
beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});
afterEach(() => void vi.restoreAllMocks());

const draw = (at: string) =>
  drawPages(
    [
      { path: '/', Component: pageCalled('Home') },
      {
        path: '/fp/databases',
        children: [
          { index: true, Component: Databases },
          { path: 'new', Component: NewDatabase, action: createAction },
          { path: 'connect', Component: Connect, loader: connectLoader },
          {
            path: ':name',
            Component: Database,
            loader: databaseLoader,
            ErrorBoundary,
            children: [
              { index: true, Component: AllDocuments },
              { path: 'history', Component: History },
              { path: 'query/:id?', Component: Query },
              { path: 'docs/:id', Component: Document },
              { path: 'sharing', Component: Sharing },
              { path: 'settings', Component: Settings },
            ],
          },
          { path: '*', Component: NotFound },
        ],
      },
    ],
    at,
  );
const heading = (name: string) => screen.findByRole('heading', { level: 1, name });
const field = (name: string) => screen.findByLabelText<HTMLInputElement>(name);
const type = async (name: string, value: string) => {
  const found = await field(name);
  await act(async () => void fireEvent.change(found, { target: { value } }));
};
const press = async (name: string) => {
  const found = await screen.findByRole('button', { name });
  await act(async () => found.click());
};
const exists = async (name: string) => (await storageNames())?.some((one) => one.endsWith(name)) === true;
/** Creates a database with two documents. Returns the database and the path of its page. */
async function pantry() {
  const name = freshName();
  const database = await freshLocal([{ _id: 'milk', litres: 1 }, { _id: 'rice' }], name);
  return { name, database, path: databasePath(name) };
}

const items = () => screen.getAllByRole('menuitem').map(({ textContent }) => textContent?.trim());

/** Opens the menu of the database. Returns its items. */
async function databaseActions() {
  const button = await screen.findByRole('button', { name: 'Database actions' });
  await act(async () => button.click());
  await screen.findByRole('menuitem', { name: 'Storage' });
  return items();
}

async function deleteDatabase() {
  await databaseActions();
  await act(async () => screen.getByRole('menuitem', { name: 'Delete Database' }).click());
}

describe('the list of local databases', () => {
  test('links to each database of the browser', async () => {
    const { name, path } = await pantry();
    await draw('/fp/databases');
    const list = await screen.findByRole('list', { name: 'Databases of this browser' });
    expect(
      within(list)
        .getByRole('link', { name: `${name} Local only` })
        .getAttribute('href'),
    ).toBe(path);
    expect(screen.getByRole('link', { name: 'Create a database' })).toBeDefined();
  });

  test('shows nothing that the list would move, before the list is known', async () => {
    let come: (names: readonly object[]) => void = () => undefined;
    const names = new Promise<readonly object[]>((resolve) => {
      come = resolve;
    });
    vi.stubGlobal('indexedDB', { databases: () => names });
    await draw('/fp/databases');
    await screen.findByRole('heading', { level: 1, name: 'Local databases' });
    expect(screen.queryByText('Welcome')).toBeNull();
    await act(async () => come([]));
    expect(await screen.findByText('Welcome')).toBeDefined();
  });

  test('says how to allow storage if the browser blocks it, and offers no new database', async () => {
    vi.stubGlobal('indexedDB', { databases: () => Promise.reject(new DOMException('denied')) });
    await draw('/fp/databases');
    const { textContent } = await screen.findByRole('alert');
    expect(textContent).toContain('This browser blocks storage for this site');
    expect(textContent).toContain(`Allow cookies and site data for ${location.host}`);
    expect(screen.queryByText('Welcome')).toBeNull();
    expect(screen.queryByRole('button', { name: 'Create' })).toBeNull();
  });

  test('creates the first database without another page', async () => {
    vi.stubGlobal('indexedDB', { databases: async () => [] });
    const name = freshName();
    const { path } = await draw('/fp/databases');
    await type('Name of your first database', name);
    await press('Create');
    await waitFor(() => expect(path()).toBe(databasePath(name)));
  });
});

describe('the sidebar of a signed-in user', () => {
  const tenants = [tenantCalled('t1', 'Engines')];
  /** Returns the parts of the sidebar in their order. */
  async function parts() {
    await drawPages([{ path: '/fp/databases', Component: Frame }], '/fp/databases', signedIn({ tenants }));
    await screen.findByRole('navigation', { name: 'Tenant' });
    const found = within(document.getElementById('sidebar') as HTMLElement).getAllByRole('navigation');
    return found.map((one) => one.getAttribute('aria-label')).slice(0, 2);
  }

  test('has the local databases first on a first visit, so that the cloud part doesn’t move them', async () => {
    expect(await parts()).toEqual(['Local databases', 'Tenant']);
  });

  test('has the cloud part first once the tenants are known, which reserve its space', async () => {
    localStorage.setItem('lastKnown', JSON.stringify({ '["tenants"]': tenants }));
    expect(await parts()).toEqual(['Tenant', 'Local databases']);
  });
});

describe('the page for a new local database', () => {
  test('creates the database and opens it', async () => {
    const name = freshName();
    const { path } = await draw('/fp/databases/new');
    await type('Name', name);
    await press('Create');
    await waitFor(() => expect(path()).toBe(databasePath(name)));
    expect(await exists(name)).toBe(true);
  });

  test('shows which characters of a name are kept before the database is created', async () => {
    await draw('/fp/databases/new');
    await type('Name', 'my pantry!');
    expect(
      await screen.findByText(/^The database will be called .*\. Only letters, digits, - and _ are kept\.$/),
    ).toBeDefined();
    await type('Name', 'pantry');
    expect(screen.queryByText(/^The database will be called/)).toBe(null);
  });

  test('links to the database that already has the name', async () => {
    const { name, path } = await pantry();
    await draw('/fp/databases/new');
    await type('Name', name);
    await press('Create');
    expect((await screen.findByRole('alert')).textContent).toBe(`A database named "${name}" already exists.`);
    expect(screen.getByRole('link', { name: `Open "${name}"` }).getAttribute('href')).toBe(path);
  });

  test('fills in the name from the address', async () => {
    await draw('/fp/databases/new?name=cellar');
    expect((await field('Name')).value).toBe('cellar');
  });

  test('rejects a name that Fixpoint reserves', async () => {
    await draw('/fp/databases/new?name=sync');
    await press('Create');
    expect((await screen.findByRole('alert')).textContent).toBe(
      'Fixpoint reserves this name. Choose another one.',
    );
  });
});

describe('the page that connects a database', () => {
  test('requires a local name, but shows no error before anything is entered', async () => {
    await draw('/fp/databases/connect');
    await heading('Connect');
    expect(screen.queryByRole('alert')).toBe(null);
    await press('Connect');
    expect((await screen.findByRole('alert')).textContent).toBe('Local name is required');
  });

  test('reports a link that names no local database', async () => {
    await draw('/fp/databases/connect?remoteName=pantry');
    expect((await screen.findByRole('alert')).textContent).toBe('Local name is required');
  });

  test('opens the database at a path with its remote name, and links to the local name', async () => {
    const { name, path: localPath } = await pantry();
    const remote = `remote-${name}`;
    const { path } = await draw(`/fp/databases/connect?localName=${name}&remoteName=${remote}`);
    await screen.findByRole('region', { name: `Connect ${name} to the cloud` });
    expect(path()).toContain('/fp/databases/');
    expect(screen.getByText(`${name} → ${remote}`)).toBeDefined();
    await heading(remote);
    expect(screen.getByRole('link', { name }).getAttribute('href')).toBe(localPath);
  });

  test('shows why the browser can’t store the database', async () => {
    const name = freshName();
    vi.spyOn(openLocal(name), 'ready').mockRejectedValue(new Error('storage is blocked'));
    await draw(`/fp/databases/connect?localName=${name}`);
    expect((await screen.findByRole('alert')).textContent).toMatch(/storage is blocked/);
    expect((await field('Local name')).value).toBe(name);
  });
});

describe('the page of a local database', () => {
  test('lists its documents', async () => {
    const { name, path } = await pantry();
    await draw(path);
    await heading(name);
    expect((await screen.findByRole('link', { name: 'milk' })).getAttribute('href')).toBe(
      `${path}/docs/milk`,
    );
  });

  test('offers to create a database that doesn’t exist', async () => {
    await draw('/fp/databases/cellar-that-is-missing');
    expect(await screen.findByText('cellar-that-is-missing')).toBeDefined();
    expect(screen.getByRole('link', { name: 'Create it' }).getAttribute('href')).toBe(
      '/fp/databases/new?name=cellar-that-is-missing',
    );
    expect(await exists('cellar-that-is-missing')).toBe(false);
  });

  test('shows the earlier version that the address names', async () => {
    const { database, path } = await pantry();
    const [then] = await database.head();
    await database.put({ _id: 'tea' });
    await draw(`${path}?at=${then}`);
    expect(await screen.findByText('2 documents in this version')).toBeDefined();
    expect(await databaseActions()).not.toContain('Delete Database');
  });

  test('deletes the database only after a confirmation', async () => {
    const { name, path } = await pantry();
    const confirm = vi.fn((_question: string) => false);
    vi.stubGlobal('confirm', confirm);
    await draw(path);
    await deleteDatabase();
    expect(confirm.mock.calls[0]?.[0]).toContain(`"${name}"`);
    expect(await exists(name)).toBe(true);
    confirm.mockReturnValue(true);
    await deleteDatabase();
    await screen.findByText(`${name} deleted.`);
    await heading('Home');
    expect(await exists(name)).toBe(false);
  });

  test('keeps the page when the database couldn’t be deleted', async () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined);
    vi.stubGlobal('confirm', () => true);
    const { database, name, path } = await pantry();
    vi.spyOn(database, 'destroy').mockRejectedValue(new Error('in use'));
    await draw(path);
    await deleteDatabase();
    expect((await screen.findByRole('alert')).textContent).toMatch(/Couldn’t delete the database: in use/);
    await heading(name);
  });

  test('offers no deletion while the database is locked', async () => {
    const { name, path } = await pantry();
    await draw(path);
    expect(await databaseActions()).toEqual(['Lock', 'Storage', 'Delete Database']);
    act(() => setLocked(name, true));
    await waitFor(() => expect(items()).toEqual(['Storage']));
    expect(screen.getByRole('button', { name: 'Locked' }).getAttribute('aria-pressed')).toBe('true');
  });

  test('links from the history page back to the page of the database', async () => {
    const { name, path } = await pantry();
    await draw(`${path}/history`);
    await heading(name);
    const crumbs = screen.getByRole('navigation', { name: 'Breadcrumb' });
    expect(
      within(crumbs)
        .getAllByRole('link')
        .map((one) => one.getAttribute('href')),
    ).toEqual(['/fp/databases', path]);
    expect(within(crumbs).getByRole('link', { name })).toBeDefined();
    expect(await screen.findByText(/^\d changes since /)).toBeDefined();
  });

  test('opens a saved query', async () => {
    const { name, path } = await pantry();
    const id = await saveQuery(name, { name: 'By age', source: '() => 1' });
    await draw(`${path}/query/${id}`);
    expect((await field('Query name')).value).toBe('By age');
  });

  test('opens a document with a slash in its id', async () => {
    const { database, path } = await pantry();
    await database.put({ _id: 'a/b', n: 7 });
    await draw(`${path}/docs/a%2Fb`);
    await heading('a/b');
    await waitFor(() => expect(document.title).toMatch(/^a\/b · /));
    await act(async () => void (await database.put({ _id: 'a/b', name: 'Rice' })));
    await heading('Rice');
    await waitFor(() => expect(document.title).toMatch(/^Rice · /));
  });

  test('opens a document at an earlier version', async () => {
    const { database, path } = await pantry();
    const [then] = await database.head();
    await database.put({ _id: 'milk', litres: 9 });
    await draw(`${path}/docs/milk?at=${then}`);
    expect((await screen.findByText('"litres": 1', { exact: false })).tagName).toBe('DEL');
  });

  test('opens the page of a new document', async () => {
    const { path } = await pantry();
    await draw(`${path}/docs/new`);
    await heading('New Document');
  });
});

describe('the settings and the sharing of a local database', () => {
  const tab = (name: string) =>
    within(screen.getByRole('navigation', { name: 'Database pages' })).getByRole('link', { name });

  test('opens both from the tabs, each with its own title', async () => {
    const { name, path: all } = await pantry();
    const { path } = await draw(all);
    await heading(name);
    await act(async () => tab('Sharing').click());
    await screen.findByRole('heading', { name: 'Only in this browser' });
    await waitFor(() => expect(document.title).toBe(`Sharing · ${name} · Fixpoint`));
    expect([path(), tab('Sharing').getAttribute('aria-current')]).toEqual([`${all}/sharing`, 'page']);
    await act(async () => tab('Settings').click());
    await screen.findByRole('button', { name: 'Export 2 documents' });
    await waitFor(() => expect(document.title).toBe(`Settings · ${name} · Fixpoint`));
    expect([path(), tab('Documents').getAttribute('aria-current')]).toEqual([`${all}/settings`, null]);
  });

  test.each(['settings', 'sharing'])('[S10] keeps apart a page and a document called "%s"', async (id) => {
    const name = `${id}-${freshName()}`;
    const database = await freshLocal([{ _id: id, title: 'not a page' }], name);
    const { go, path } = await draw(databasePath(name));
    await heading(name);
    await go(`${databasePath(name)}/docs/${id}`);
    await heading('not a page');
    await go(`${databasePath(name)}/${id}`);
    await heading(name);
    expect(path()).toBe(`${databasePath(name)}/${id}`);
    expect((await database.get<{ title: string }>(id)).title).toBe('not a page');
  });

  test.each(['settings', 'sharing'])('offers to create a database that doesn’t exist (%s)', async (below) => {
    await draw(`/fp/databases/cellar-that-is-missing/${below}`);
    await heading('Not found');
    expect(await exists('cellar-that-is-missing')).toBe(false);
  });

  test('shows a database under the name of its remote', async () => {
    const { name } = await pantry();
    const remote = `remote-${name}`;
    const { go } = await draw(`/fp/databases/connect?localName=${name}&remoteName=${remote}`);
    await heading(remote);
    await go(`/fp/databases/${remote.replace(/\W/g, '_')}/settings`);
    await screen.findByRole('button', { name: 'Disconnect' });
    await heading(remote);
    expect(screen.getByText('Name', { selector: 'dt' }).nextElementSibling?.textContent).toMatch(
      new RegExp(`^${name}`),
    );
  });
});
