import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { freshLocal, withEngine } from '../../engine/engine-here.fixture.ts';
import { localPages } from '../../local/database-pages.ts';
import { saveQuery } from '../../local/saved-queries.ts';
import { drawPages, withPages } from '../../ui/pages.fixture.tsx';
import { withSizes } from '../../ui/sizes.fixture.ts';
import { widthOfWindow } from '../../ui/window-width.fixture.ts';
import { drawNothing } from '../charts/no-canvas.fixture.ts';
import { writeQueryDraft } from './query-draft.ts';
import { QueryPage } from './query-page.tsx';

withPages();
withEngine();
withSizes();
beforeEach(() => {
  sessionStorage.clear();
  localStorage.clear();
  drawNothing();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const DOCS = ['a', 'a', 'b'].map((kind, at) => ({ _id: `d${at}`, kind, n: at }));
const BY_KIND = '(doc, emit) => { emit(doc.kind, doc.n); }';

async function draw(isWide: boolean, saved: readonly string[] = []) {
  widthOfWindow(isWide);
  const database = await freshLocal(DOCS);
  writeQueryDraft(database.name, undefined, BY_KIND);
  for (const name of saved) await saveQuery(database.name, { name, source: BY_KIND });
  const Page = () => <QueryPage database={database} queryId={undefined} pages={localPages('/db')} />;
  const pages = await drawPages([{ path: '/db/query/:id?', Component: Page }], '/db/query');
  await screen.findByLabelText('Query name');
  return { database, ...pages };
}
const press = async (name: string) => {
  const found = await screen.findByRole('button', { name });
  await act(async () => found.click());
};
const choose = (label: string, value: string) =>
  act(async () => void fireEvent.change(screen.getByLabelText(label), { target: { value } }));
const summaries = () => [...document.querySelectorAll('summary')].map(({ textContent }) => textContent);

describe('a query in a wide window', () => {
  test('shows all options, and where the rows will be', async () => {
    await draw(true);
    expect(summaries()).toEqual([]);
    for (const label of ['Reduce', 'Group by', 'Key', 'Prefix', 'From', 'To', 'Limit', 'Descending'])
      expect(screen.getByLabelText(label)).toBeDefined();
    expect(screen.getByText(/^Rows appear here while you type/)).toBeDefined();
  });

  test('shows a chart beside the table with its numbers', async () => {
    await draw(true);
    await choose('Reduce', 'sum');
    await press('Query');
    await screen.findByText(/^2 groups from 3 rows in [\d,]+ ms$/);
    expect(screen.queryByRole('img')).toBeNull();
    await press('Chart');
    await screen.findByRole('img', { name: /^Bar chart: sum by key, 2 groups from 3 rows\./ });
    const rows = within(screen.getByRole('grid', { name: 'Results' }))
      .getAllByRole('row')
      .slice(1);
    expect(rows.map(({ textContent }) => textContent)).toEqual(['a1', 'b2']);
    await press('JSON');
    const json = await screen.findByRole('region', { name: 'Results as JSON' });
    await waitFor(() => expect(json.textContent).toContain('"b"'));
    expect([screen.queryByRole('img'), screen.queryByRole('grid')]).toEqual([null, null]);
  });

  test('says below the rows how many documents it read, and explains it', async () => {
    await draw(true);
    await press('Query');
    expect(await screen.findByText('3 documents read to update the index.')).toBeDefined();
    expect(summaries()).toEqual(['Explain']);
    await press('Query');
    expect(await screen.findByText('The index answered, without reading documents.')).toBeDefined();
    expect(screen.getByText('up to date')).toBeDefined();
  });

  test('marks a wrong option, and doesn’t run', async () => {
    await draw(true);
    await choose('Limit', 'many');
    await press('Query');
    expect(screen.getByText('Enter a whole number.')).toBeDefined();
    expect(screen.queryByRole('region', { name: 'Results' })).toBeNull();
  });
});

describe('a query in a narrow window', () => {
  test('folds its options into a line that names them', async () => {
    await draw(false);
    expect(summaries()).toEqual(['Rows, groups and order']);
    await choose('Reduce', 'count');
    await choose('Group by', '1');
    await choose('Prefix', '["a"]');
    expect(summaries()).toEqual(['Count, by first key part, prefix ["a"]']);
    expect(screen.queryByText(/^Rows appear here/)).toBeNull();
  });

  test('opens them for a mistake', async () => {
    await draw(false);
    const details = () => document.querySelector('details')?.open;
    expect(details()).toBe(false);
    await choose('Limit', '-1');
    expect(details()).toBe(true);
  });
});

describe('the name of a query', () => {
  test('saves with Enter', async () => {
    const { path } = await draw(true);
    const field = screen.getByLabelText('Query name');
    await act(async () => void fireEvent.change(field, { target: { value: 'Kinds' } }));
    await act(async () => void fireEvent.submit(field));
    expect(await screen.findByText('Saved "Kinds".')).toBeDefined();
    await waitFor(() => expect(path()).toMatch(/^\/db\/query\/.+/));
  });

  test('offers no menu before a query is saved', async () => {
    await draw(true);
    expect(screen.queryByRole('button', { name: 'Open' })).toBeNull();
    expect(screen.queryByText('Edited')).toBeNull();
  });

  test('opens saved queries, whatever they are called', async () => {
    await draw(true, ['constructor', '__proto__']);
    await press('Open');
    const items = await screen.findAllByRole('menuitem');
    expect(items.map(({ textContent }) => textContent)).toEqual(['constructor', '__proto__', 'New query']);
    expect(items[0]?.getAttribute('href')).toMatch(/^\/db\/query\/.+/);
    expect(items[2]?.getAttribute('href')).toBe('/db/query');
  });
});
