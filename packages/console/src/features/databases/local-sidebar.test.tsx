import { act, screen, within } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { freshName, withEngine } from '../../engine/engine-here.fixture.ts';
import { createLocal, destroyLocal } from '../../local/databases.ts';
import { saveQuery } from '../../local/saved-queries.ts';
import { drawPages, withPages } from '../../ui/pages.fixture.tsx';
import { LocalSidebar } from './local-sidebar.tsx';

withPages();
withEngine();

/**
 * Renders the sidebar on the page at this path, whose loader returns this local name, and the name
 * in the path.
 */
async function sidebar(path = '/', localName?: string, name?: string) {
  const pages = await drawPages(
    [{ id: 'database', path: '*', Component: LocalSidebar, loader: () => ({ localName, name }) }],
    path,
  );
  const navigation = await screen.findByRole('navigation', { name: 'Local databases' });
  /** Returns the part of a database, once it is listed. */
  const part = async (name: string) => {
    const heading = await within(navigation).findByText(name);
    return heading.closest('li') as HTMLElement;
  };
  const button = (part: HTMLElement) => within(part).getByRole('button', { name: /^Pages of / });
  const toggle = (part: HTMLElement) => act(async () => button(part).click());
  /** Returns the links below the link of the database itself. */
  const links = (part: HTMLElement) =>
    within(part)
      .queryAllByRole('link')
      .slice(1)
      .map((link) => link.textContent?.trim());
  const current = () =>
    within(navigation)
      .queryAllByRole('link', { current: 'page' })
      .map((link) => link.textContent?.trim());
  return { ...pages, part, button, toggle, links, current };
}

describe('the sidebar of local databases', () => {
  test('says that there are no databases yet', async () => {
    vi.stubGlobal('indexedDB', { databases: () => Promise.resolve([]) });
    await sidebar();
    expect(await screen.findByText('No databases in this browser yet.')).toBeDefined();
  });

  test('says that the browser blocks storage, not that there are no databases', async () => {
    vi.stubGlobal('indexedDB', { databases: () => Promise.reject(new DOMException('denied')) });
    await sidebar();
    expect(await screen.findByText('This browser blocks storage.')).toBeDefined();
    expect(screen.queryByText('No databases in this browser yet.')).toBeNull();
  });

  test('shows "Loading..." until the databases are known', async () => {
    vi.stubGlobal('indexedDB', { databases: () => new Promise(() => undefined) });
    await sidebar();
    expect(screen.getByRole('status').textContent).toBe('Loading...');
    expect(screen.queryByText('No databases in this browser yet.')).toBeNull();
  });

  test('expands the database whose page is open, and no other', async () => {
    const [open, other] = [freshName(), freshName()];
    await createLocal(open);
    await createLocal(other);
    const { part, links } = await sidebar(`/fp/databases/${open}`, open);
    expect(links(await part(open))).toEqual(['All Documents', 'Query', 'History']);
    expect(links(await part(other))).toEqual([]);
  });

  test.each([
    ['', 'All Documents'],
    ['/docs/milk', 'All Documents'],
    ['/history', 'History'],
    ['/query', 'Query'],
  ])('marks the page at %s as the current one', async (path, name) => {
    const database = freshName();
    await createLocal(database);
    const { part, current } = await sidebar(`/fp/databases/${database}${path}`, database);
    await part(database);
    expect(current()).toEqual([name]);
  });

  test('marks the current page of a database that is open under its remote name', async () => {
    const database = freshName();
    await createLocal(database);
    const { part, current } = await sidebar('/fp/databases/team_pantry/history', database, 'team_pantry');
    await part(database);
    expect(current()).toEqual(['History']);
  });

  test('expands and collapses a database', async () => {
    const name = freshName();
    await createLocal(name);
    const { part, toggle, links } = await sidebar();
    const details = await part(name);
    await toggle(details);
    expect(links(details)).toContain('History');
    await toggle(details);
    expect(links(details)).toEqual([]);
  });

  test('shortens a long name, and shows the full name in a tooltip', async () => {
    const name = `${freshName()}${'x'.repeat(60)}`;
    await createLocal(name);
    await sidebar();
    const heading = await screen.findByTitle(name);
    expect(within(heading).getByText(/^shop/).textContent?.length).toBeLessThanOrEqual(21);
    await destroyLocal(name);
  });

  test('lists saved queries by name, and numbers queries without a name', async () => {
    const name = freshName();
    await createLocal(name);
    const first = await saveQuery(name, { name: 'By price', source: '' });
    const { part, links } = await sidebar(`/fp/databases/${name}/query/${first}`, name);
    const details = await part(name);
    await within(details).findByText('By price');
    await act(async () => void (await saveQuery(name, { name: ' ', source: '' })));
    await within(details).findByText('Query 2');
    expect(links(details).slice(-2)).toEqual(['By price', 'Query 2']);
    expect(within(details).getByText('By price').closest('a')?.getAttribute('aria-current')).toBe('page');
  });

  test('says that no query is saved yet', async () => {
    const name = freshName();
    await createLocal(name);
    const { part } = await sidebar(`/fp/databases/${name}/query`, name);
    expect(await within(await part(name)).findByText('No saved queries yet.')).toBeDefined();
  });

  test('lists a database that is created while it is shown', async () => {
    const { part, button } = await sidebar();
    const name = freshName();
    await act(async () => void (await createLocal(name)));
    expect(button(await part(name)).getAttribute('aria-expanded')).toBe('false');
  });
});
