import { act, screen, waitFor, within } from '@testing-library/react';
import { useLocation } from 'react-router';
import { describe, expect, test, vi } from 'vitest';
import { freshLocal, freshName, withEngine } from '../../engine/engine-here.fixture.ts';
import { ledgerPages, localPages } from '../../local/database-pages.ts';
import { createLocal } from '../../local/databases.ts';
import { keepCount } from '../../local/document-counts.tsx';
import { savedQueriesOf, saveQuery } from '../../local/saved-queries.ts';
import { drawPages, withPages } from '../../ui/pages.fixture.tsx';
import { HOSTILE_NAMES } from '../../values/hostile-names.fixture.ts';
import { DatabaseEntry, type DatabaseEntryProps, NavItem } from './tree.tsx';

withPages();
withEngine();

const BASE = '/fp/databases/pantry';

/** Renders the entry of a database on the page at this path. */
async function entry(path: string, given: Partial<DatabaseEntryProps> = {}) {
  const { name = 'pantry', storage = freshName(), to = BASE, isCurrent = path.startsWith(to) } = given;
  const Page = () => (
    <ul>
      <DatabaseEntry {...{ name, storage, to, isCurrent }} pages={localPages(to)} {...given} />
    </ul>
  );
  const pages = await drawPages([{ path: '*', Component: Page }], path);
  return { ...pages, storage };
}

const button = (name: string | RegExp) => screen.getByRole('button', { name });
const press = (name: string | RegExp) => act(async () => button(name).click());
const isOpen = (name: string | RegExp) => button(name).getAttribute('aria-expanded');
const links = () => screen.getAllByRole('link').map(({ textContent }) => textContent);
const current = () => screen.queryAllByRole('link', { current: 'page' }).map((one) => one.textContent);

describe('a database in the tree', () => {
  test('is collapsed on other pages, and its button says what it expands', async () => {
    await entry('/fp/databases');
    expect([isOpen('Pages of pantry'), links()]).toEqual(['false', ['pantry']]);
    await press('Pages of pantry');
    expect([isOpen('Pages of pantry'), links()]).toEqual([
      'true',
      ['pantry', 'All Documents', 'Query', 'History'],
    ]);
    await press('Pages of pantry');
    expect([isOpen('Pages of pantry'), links()]).toEqual(['false', ['pantry']]);
  });

  test('shows the number of documents once it is known, which is no part of the link', async () => {
    const database = await freshLocal([{ _id: 'milk' }]);
    await entry(BASE, { storage: database.name });
    const shown = () => document.querySelector<HTMLElement>('[data-count]')?.dataset['count'];
    expect(shown()).toBeUndefined();
    await act(async () => keepCount(database, 7910));
    await waitFor(() => expect(shown()).toBe('7,910'));
    expect(links()).toEqual(['pantry', 'All Documents', 'Query', 'History']);
  });

  test('keeps the page when it is expanded, because only its link leads there', async () => {
    const { path } = await entry('/fp/databases');
    await press('Pages of pantry');
    expect(path()).toBe('/fp/databases');
    await act(async () => screen.getByRole('link', { name: 'pantry' }).click());
    expect(path()).toBe(BASE);
  });

  test('expands when its page opens, and stays expanded on other pages', async () => {
    const Page = () => {
      const isCurrent = useLocation().pathname.startsWith(BASE);
      return (
        <DatabaseEntry name="pantry" storage="x" to={BASE} pages={localPages(BASE)} isCurrent={isCurrent} />
      );
    };
    const { go } = await drawPages([{ path: '*', Component: Page }], '/fp/databases');
    expect(isOpen('Pages of pantry')).toBe('false');
    await go(`${BASE}/history`);
    expect(isOpen('Pages of pantry')).toBe('true');
    await go('/fp/databases');
    expect(isOpen('Pages of pantry')).toBe('true');
  });

  test('can be collapsed while its page is open, and isn’t expanded again by its other pages', async () => {
    const { go } = await entry(BASE);
    await press('Pages of pantry');
    await go(`${BASE}/history`);
    expect(isOpen('Pages of pantry')).toBe('false');
  });

  test.each([
    ['/settings', ['pantry']],
    ['', ['All Documents']],
    ['/docs/a%20b', ['All Documents']],
    ['/docs', ['pantry']],
    ['/query', ['Query']],
    ['/history', ['History']],
    ['/history/more', ['pantry']],
  ])('marks one entry as the current page at %j: %j', async (below, entries) => {
    await entry(`${BASE}${below}`);
    expect(current()).toEqual(entries);
  });

  test('marks the page of a ledger and its documents separately', async () => {
    const to = '/fp/cloud/tenants/t1/ledgers/z1';
    const { go } = await entry(to, { to, pages: ledgerPages(to), isCurrent: true });
    expect(current()).toEqual(['pantry']);
    await go(`${to}/documents`);
    expect(current()).toEqual(['All Documents']);
  });

  test('doesn’t mark the pages of a database whose name begins the same', async () => {
    await entry(`${BASE}2/history`, { isCurrent: false });
    await press('Pages of pantry');
    expect(current()).toEqual([]);
  });

  test('shows its state next to its name, outside of the link', async () => {
    await entry('/fp/databases', { state: <span>In sync</span> });
    expect(screen.getByText('In sync').closest('a')).toBeNull();
    expect(screen.getByRole('link', { name: 'pantry' })).toBeDefined();
  });

  test('announces the shown part of a long name, and then the whole name', async () => {
    const name = 'Measurements of the second engine';
    await entry('/fp/databases', { name });
    const link = screen.getByRole('link');
    expect([link.textContent, link.title, link.getAttribute('aria-label')]).toEqual([
      'Measurements of the …',
      name,
      `Measurements of the … ${name}`,
    ]);
    expect(button('Pages of Measurements of the …')).toBeDefined();
  });

  test('doesn’t cut a character in half', async () => {
    await entry('/fp/databases', { name: '🧪'.repeat(30) });
    expect(screen.getByRole('link').textContent).toBe(`${'🧪'.repeat(20)}…`);
  });

  test.each([
    ...HOSTILE_NAMES.map((name) => [name.slice(0, 20), name] as const),
    ['markup', '<img src=x>'] as const,
  ])('shows the name %j as text', async (_shown, name) => {
    await entry('/fp/databases', { name });
    const link = screen.getByRole('link', { hidden: true });
    expect(link.textContent).toBe(name.length > 20 ? `${name.slice(0, 20)}…` : name);
    expect([link.title, document.querySelector('img')]).toEqual([name, null]);
  });
});

describe('the saved queries of a database in the tree', () => {
  const QUERIES = 'Saved Queries';

  test('lists nothing until the user expands them', async () => {
    const storage = freshName();
    await createLocal(storage);
    await saveQuery(storage, { name: 'By price', source: '' });
    await entry(BASE, { storage });
    expect(isOpen(QUERIES)).toBe('false');
    await press(QUERIES);
    expect(isOpen(QUERIES)).toBe('true');
    await screen.findByRole('link', { name: 'By price' });
    await press(QUERIES);
    expect(screen.queryByRole('link', { name: 'By price' })).toBeNull();
  });

  test('names their database in a tooltip, since all databases have such a button', async () => {
    await entry(BASE);
    expect(button(QUERIES).title).toBe('Saved queries of pantry');
  });

  test('expands on the page of a query, and marks it instead of the page of all queries', async () => {
    const storage = freshName();
    await createLocal(storage);
    const id = await saveQuery(storage, { name: 'By price', source: '' });
    await entry(`${BASE}/query/${encodeURIComponent(id)}`, { storage });
    const link = await screen.findByRole('link', { name: 'By price' });
    expect([isOpen(QUERIES), current()]).toEqual(['true', ['By price']]);
    expect(link.getAttribute('href')).toBe(`${BASE}/query/${encodeURIComponent(id)}`);
  });

  test('follows queries that are saved and deleted elsewhere', async () => {
    const storage = freshName();
    await createLocal(storage);
    await entry(`${BASE}/query`, { storage });
    await screen.findByText('No saved queries yet.');
    let id = '';
    await act(async () => {
      id = await saveQuery(storage, { name: 'By price', source: '' });
    });
    await screen.findByRole('link', { name: 'By price' });
    await act(async () => void (await savedQueriesOf(storage).del(id)));
    await screen.findByText('No saved queries yet.');
  });

  test('truncates long names like those of databases', async () => {
    const storage = freshName();
    await createLocal(storage);
    await saveQuery(storage, { name: 'n'.repeat(500), source: '' });
    await entry(`${BASE}/query`, { storage });
    const link = await screen.findByTitle('n'.repeat(500));
    expect(within(link).getByText(`${'n'.repeat(20)}…`)).toBeDefined();
  });

  test('says that they couldn’t be loaded, without hiding the other pages', async () => {
    const storage = freshName();
    await createLocal(storage);
    await saveQuery(storage, { name: 'By price', source: '' });
    vi.spyOn(savedQueriesOf(storage), 'allDocs').mockRejectedValue(new Error('the disk failed'));
    await entry(`${BASE}/query`, { storage });
    await screen.findByText('Couldn’t load the saved queries.');
    expect(links()).toEqual(['pantry', 'All Documents', 'Query', 'History']);
  });
});

test('marks an entry of the tree as the current page for screen readers', async () => {
  const Page = () => (
    <>
      <NavItem to="/a" active>
        First
      </NavItem>
      <NavItem to="/b" active={false}>
        Second
      </NavItem>
    </>
  );
  await drawPages([{ path: '*', Component: Page }], '/elsewhere');
  expect(current()).toEqual(['First']);
});
