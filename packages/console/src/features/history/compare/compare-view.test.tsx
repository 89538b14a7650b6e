import { FixpointError } from '@fixpoint/protocol';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { describe, expect, test, vi } from 'vitest';
import { freshLocal, withEngine } from '../../../engine/engine-here.fixture.ts';
import { destroyLocal, openLocal } from '../../../local/databases.ts';
import { drawPages, pageCalled, withPages } from '../../../ui/pages.fixture.tsx';
import { CompareView } from './compare-view.tsx';

withPages();
withEngine();

const NAMES = ['pantry', 'cellar', 'attic'];

/** Creates three databases: the page's, one that differs from it, and one that is equal. */
async function three() {
  for (const name of NAMES) await destroyLocal(name);
  const milk = { _id: 'milk', litres: 1 };
  const pantry = await freshLocal([milk, { _id: 'rice' }, { _id: 'same' }], 'pantry');
  await freshLocal([{ ...milk, litres: 2 }, { _id: 'same' }, { _id: 'wine' }], 'cellar');
  await freshLocal([milk, { _id: 'rice' }, { _id: 'same' }], 'attic');
  return pantry;
}

const draw = (database: BridgedDatabase, search = '') =>
  drawPages(
    [
      { path: '/', element: <CompareView database={database} name="My pantry" docsPath="/db/docs" /> },
      { path: '/fp/databases/new', Component: pageCalled('New database') },
    ],
    `/${search}`,
  );

const others = () => screen.findByRole<HTMLSelectElement>('combobox', { name: 'The other database' });
const choose = async (name: string) => {
  const field = await others();
  await act(async () => void fireEvent.change(field, { target: { value: name } }));
};
const press = async (name: string) => {
  const found = await screen.findByRole<HTMLButtonElement>('button', { name });
  await act(async () => found.click());
  return found;
};
const result = () => screen.findByRole('region', { name: 'Comparison' });

/** Makes the reads of a database wait; returns a function that lets the reads continue. */
function held(name: string) {
  const { rows } = openLocal(name);
  const { scan } = rows;
  let goOn: () => void = () => undefined;
  const free = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  vi.spyOn(rows, 'scan').mockImplementation(async function* (options) {
    await free;
    options?.signal?.throwIfAborted();
    yield* scan(options);
  });
  return () => act(async () => goOn());
}

describe('the comparison with another database', () => {
  test('offers every local database except the compared one', async () => {
    await draw(await three());
    const names = within(await others())
      .getAllByRole('option')
      .map((one) => one.textContent);
    expect(names).toContain('cellar');
    expect(names).toContain('attic');
    expect(names).not.toContain('pantry');
  });

  test('reads nothing until the user asks', async () => {
    const database = await three();
    const scan = vi.spyOn(database.rows, 'scan');
    await draw(database, '?with=cellar');
    await others();
    expect(scan).not.toHaveBeenCalled();
    expect(screen.queryByRole('region', { name: 'Comparison' })).toBe(null);
  });

  test('lists the documents that differ, with the names of both databases', async () => {
    await draw(await three(), '?with=cellar');
    await press('Compare');
    const found = await result();
    expect(within(found).getByRole('status').textContent).toBe('3 documents differ, 1 document is the same.');
    expect(
      within(found)
        .getAllByRole('heading')
        .map((one) => one.textContent),
    ).toEqual(['milk differs', 'rice only in My pantry', 'wine only in cellar']);
    // Only the document of both databases is shown before and after. The others are links.
    expect(
      within(found)
        .getAllByRole('columnheader')
        .map((one) => one.textContent),
    ).toEqual(['-My pantry', '+cellar']);
    const paths = within(found)
      .getAllByRole('link')
      .map((one) => one.getAttribute('href'));
    expect(paths).toEqual(['/db/docs/rice', '/fp/databases/cellar/docs/wine']);
  });

  test('isolates the direction of titles, so that Arabic ones don’t split the id', async () => {
    const database = await three();
    await database.put({ _id: '1a', name: 'ألف ليلة' });
    await draw(database, '?with=cellar');
    await press('Compare');
    const title = within(await result()).getByText('ألف ليلة');
    expect(title.tagName).toBe('BDI');
  });

  test('counts and lists the documents of one database if the other one is empty', async () => {
    const database = await three();
    await database.put({ _id: 'wheat', name: 'Spelt' });
    await destroyLocal('attic');
    await freshLocal([], 'attic');
    await draw(database, '?with=attic');
    await press('Compare');
    const found = await result();
    expect(within(found).getByRole('status').textContent).toBe('attic is empty. My pantry has 4 documents.');
    expect(
      within(found)
        .getAllByRole('heading')
        .map((one) => one.textContent),
    ).toEqual([
      'milk only in My pantry',
      'rice only in My pantry',
      'same only in My pantry',
      'Speltwheat only in My pantry',
    ]);
    expect(within(found).queryByRole('table')).toBe(null);
  });

  test('says that equal databases do not differ', async () => {
    await draw(await three(), '?with=attic');
    await press('Compare');
    expect(within(await result()).getByRole('status').textContent).toBe(
      'No documents differ, 3 documents are the same.',
    );
  });

  test('keeps the choice in the address, and clears the result when the user chooses another database', async () => {
    const { path } = await draw(await three(), '?view=compare&with=cellar');
    await press('Compare');
    await result();
    await choose('attic');
    expect(path()).toBe('/?view=compare&with=attic');
    expect(screen.queryByRole('region', { name: 'Comparison' })).toBe(null);
  });

  test('ignores the result of a comparison after the user chose another database', async () => {
    const database = await three();
    const goOn = held('cellar');
    await draw(database, '?with=cellar');
    await press('Compare');
    await choose('attic');
    await goOn();
    expect(screen.queryByRole('region', { name: 'Comparison' })).toBe(null);
    expect(screen.queryByRole('alert')).toBe(null);
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Compare' }).disabled).toBe(false);
  });

  test('can be cancelled, and started again', async () => {
    const database = await three();
    const goOn = held('cellar');
    await draw(database, '?with=cellar');
    const compare = await press('Compare');
    expect(compare.disabled).toBe(true);
    await press('Cancel');
    await goOn();
    await waitFor(() => expect(compare.disabled).toBe(false));
    expect(screen.queryByRole('progressbar')).toBe(null);
    await press('Compare');
    expect(await result()).toBeDefined();
  });

  test('shows why a database can’t be read', async () => {
    const database = await three();
    vi.spyOn(openLocal('cellar').rows, 'scan').mockImplementation(() => {
      throw new FixpointError('KEY_UNKNOWN');
    });
    await draw(database, '?with=cellar');
    await press('Compare');
    expect((await screen.findByRole('alert')).textContent).toMatch(/doesn’t have the key of this database/);
  });

  test('links to the page for a new database if there is no other database', async () => {
    vi.stubGlobal('indexedDB', { databases: async () => [{ name: 'fp.pantry' }] });
    await draw(await freshLocal([], 'pantry'));
    expect(await screen.findByText(/no other local database to compare with/)).toBeDefined();
    const link = screen.getByRole('link', { name: 'New database' });
    await act(async () => link.click());
    expect(screen.getByRole('heading').textContent).toBe('New database');
  });
});
