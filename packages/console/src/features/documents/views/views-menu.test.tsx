import { act, fireEvent, screen } from '@testing-library/react';
import { useSearchParams } from 'react-router';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { freshLocal, withEngine } from '../../../engine/engine-here.fixture.ts';
import { savedQueriesOf } from '../../../local/saved-queries.ts';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import { PLAIN_LAYOUT, type TableLayout } from '../table/table-layout.ts';
import { ViewsMenu } from './views-menu.tsx';

withPages();
withEngine();
beforeEach(() => localStorage.clear());

const LAYOUT: TableLayout = { ...PLAIN_LAYOUT, hidden: ['text'], widths: new Map([['__proto__', 90]]) };

async function drawMenu(address: string) {
  const database = await freshLocal([{ _id: 'a' }]);
  let change: (filter: string) => void = () => undefined;
  function Page() {
    const [, setParameters] = useSearchParams();
    change = (filter) =>
      setParameters((now) => {
        const next = new URLSearchParams(now);
        next.set('filter', filter);
        return next;
      });
    return <ViewsMenu database={database.name} layout={LAYOUT} />;
  }
  const { path } = await drawPages([{ path: '/db', Component: Page }], address);
  return {
    views: async () => (await savedQueriesOf(database.name).allDocs()).rows.map(({ value }) => value),
    parameters: () => new URLSearchParams(path().split('?')[1]),
    go: (filter: string) => act(async () => change(filter)),
  };
}

const trigger = () => screen.getByTitle('Saved views');
const openMenu = () => act(async () => trigger().click());
const items = async () =>
  (await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent?.trim());
const choose = async (name: string | RegExp) => {
  await openMenu();
  const item = await screen.findByRole('menuitem', { name });
  await act(async () => item.click());
};
const name = async (text: string, button: string) => {
  const field = await screen.findByLabelText('Name of the view');
  await act(async () => void fireEvent.change(field, { target: { value: text } }));
  await act(async () => screen.getByRole('button', { name: button }).click());
};

describe('saved views', () => {
  test('keeps the filter, the order and the columns, and open in the address', async () => {
    const { views, parameters } = await drawMenu('/db?filter=n+%3E+1&sort=-n&find=x&at=1');
    await choose('Save as a new view');
    await name(' Big ', 'Save view');
    await screen.findByText('Saved the view "Big".');
    const [view] = await views();
    expect(view).toMatchObject({ name: 'Big' });
    const saved = new URLSearchParams(view?.['view'] as string);
    expect(Object.fromEntries(saved)).toEqual({
      filter: 'n > 1',
      find: 'x',
      sort: '-n',
      layout: '{"hidden":["text"],"widths":{"__proto__":90}}',
    });
    await expect.poll(() => parameters().get('view')).toBe(view?._id);
    await expect.poll(() => trigger().textContent).toBe('Big');
  });

  test('asks for a name', async () => {
    const { views } = await drawMenu('/db');
    await choose('Save as a new view');
    await name('  ', 'Save view');
    expect(screen.getByText('Enter a name.')).toBeDefined();
    expect(await views()).toEqual([]);
  });

  test('renames and deletes a view with an undo', async () => {
    const { views, parameters } = await drawMenu('/db?filter=n+%3E+1');
    await choose('Save as a new view');
    await name('Big', 'Save view');
    await expect.poll(() => trigger().textContent).toBe('Big');
    await choose('Rename this view');
    await name('Large', 'Rename view');
    await expect.poll(() => trigger().textContent).toBe('Large');
    await choose('Delete this view');
    await screen.findByText('Deleted the view "Large".');
    expect(await views()).toEqual([]);
    expect([...parameters().keys()]).toEqual([]);
    await act(async () => screen.getAllByRole('button', { name: 'Undo' }).at(-1)?.click());
    await expect.poll(async () => (await views())[0]?.['name']).toBe('Large');
  });

  test('says that a view is edited, and updates it with an undo', async () => {
    const { views, go } = await drawMenu('/db?filter=n+%3E+1');
    await choose('Save as a new view');
    await name('Big', 'Save view');
    await expect.poll(() => trigger().textContent).toBe('Big');
    await go('n > 9');
    await expect.poll(() => trigger().textContent).toBe('Bigedited');
    await choose('Update this view');
    await screen.findByText('Updated the view "Big".');
    const filter = async () => new URLSearchParams((await views())[0]?.['view'] as string).get('filter');
    expect(await filter()).toBe('n > 9');
    await act(async () => screen.getAllByRole('button', { name: 'Undo' }).at(-1)?.click());
    await expect.poll(filter).toBe('n > 1');
  });

  test('copies a link that contains the whole view', async () => {
    const copied: string[] = [];
    vi.spyOn(navigator.clipboard, 'writeText').mockImplementation(async (text) => void copied.push(text));
    await drawMenu('/db?filter=n+%3E+1');
    await choose('Copy a link to this view');
    await screen.findByText(/^Link copied/);
    expect(copied[0]).toMatch(/\/db\?filter=n\+%3E\+1&layout=%7B%22hidden/);
  });

  test('lists only what is needed without an open view', async () => {
    await drawMenu('/db');
    await openMenu();
    expect(await items()).toEqual(['Save as a new view', 'Copy a link to this view']);
    expect(screen.getByText('No saved views yet')).toBeDefined();
  });
});
