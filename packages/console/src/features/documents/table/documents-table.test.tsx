import { act, fireEvent, screen, within } from '@testing-library/react';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { fieldPath } from 'fixpoint/rows';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Writing, WritingContext } from '../../../local/can-write.ts';
import { freshDatabase } from '../../../local/fresh-database.fixture.ts';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import { UndoBar } from '../../../undo/undo-bar.tsx';
import { HOSTILE_NAMES } from '../../../values/hostile-names.fixture.ts';
import { textOfParts } from '../../filter/filter-text.ts';
import { withView } from '../../grid/drawn-grid.fixture.tsx';
import { DocumentsTable } from './documents-table.tsx';

withPages();
withView(800, 4);
beforeEach(() => {
  localStorage.clear();
  vi.stubGlobal('confirm', () => true);
});
afterEach(() => localStorage.clear());

const DOCS = [
  { _id: 'milk', litres: 2, shelf: 'A' },
  { _id: 'oil', litres: 10 },
  { _id: 'rice', shelf: 'B' },
];

interface Given {
  readonly writing?: Writing;
  readonly address?: string;
  readonly more?: Partial<BridgedDatabase>;
}

async function table(docs: readonly Readonly<Record<string, unknown>>[], given: Given = {}) {
  const { writing = 'allowed', address = '/', more = {} } = given;
  const database = Object.assign(await freshDatabase(docs), more);
  const Page = () => (
    <WritingContext value={writing}>
      <UndoBar database={database} />
      <DocumentsTable database={database} basePath="/docs" help={<p>Help for the start</p>} />
    </WritingContext>
  );
  const pages = await drawPages(
    [
      { path: '/', Component: Page },
      { path: '/docs/*', Component: () => <h1>A document</h1> },
    ],
    address,
  );
  return { database, ...pages };
}

const grid = () => screen.findByRole('grid', { name: 'Documents' });
const ids = () =>
  screen
    .queryAllByRole('row', { hidden: true })
    .slice(1)
    .map((row) => within(row).queryByRole('link', { hidden: true })?.textContent);
const press = (name: string | RegExp) => act(async () => screen.getByRole('button', { name }).click());
const status = () => screen.getAllByRole('status').map(({ textContent }) => textContent);

describe('the documents of a database', () => {
  test('shows every document with its fields, and the number of documents', async () => {
    await table(DOCS);
    await grid();
    await expect.poll(ids).toEqual(['milk', 'oil', 'rice']);
    await expect.poll(status).toContain('3 documents');
    expect(screen.getByRole('gridcell', { name: '10' })).toBeDefined();
  });

  test('opens a document on a click on its row', async () => {
    const { path } = await table(DOCS);
    await grid();
    await act(async () => screen.getByRole('gridcell', { name: '10' }).click());
    expect(path()).toBe('/docs/oil');
  });

  test('follows documents that are written and deleted elsewhere', async () => {
    const { database } = await table(DOCS);
    await grid();
    await act(async () => void (await database.bulk([{ _id: 'salt' }], { del: ['oil'] })));
    await expect.poll(ids).toEqual(['milk', 'rice', 'salt']);
  });

  test('deletes a document by the button of its row, and restores it on Undo', async () => {
    await table(DOCS);
    await grid();
    await press('Delete oil');
    await expect.poll(ids).toEqual(['milk', 'rice']);
    await screen.findByText('Deleted document oil.');
    await press('Undo');
    await expect.poll(ids).toEqual(['milk', 'oil', 'rice']);
  });

  test('says why the documents can’t be read', async () => {
    const window = () => Promise.reject(new Error('the key is unknown'));
    const database = await freshDatabase(DOCS);
    await table([], { more: { rows: { ...database.rows, window } } });
    expect((await screen.findByRole('alert')).textContent).toContain('the key is unknown');
  });
});

describe('an empty database', () => {
  test('offers a new document and an import, with help', async () => {
    await table([]);
    await screen.findByText('No documents found. Create a new document to get started.');
    const link = screen.getByRole('link', { name: 'New Document' });
    expect(link.getAttribute('href')).toBe('/docs/new');
    expect(screen.getByText('Help for the start')).toBeDefined();
    await press('Import');
    expect(await screen.findByLabelText('Choose files to import')).toBeDefined();
  });

  test.each<[Writing, RegExp]>([
    ['no right', /No documents found\. You can read this database, but not write to it\./],
    ['locked', /No documents found\. This database is locked in this browser\./],
  ])('says why the user can’t write when the state of writing is "%s"', async (writing, text) => {
    await table([], { writing });
    expect(await screen.findByText(text)).toBeDefined();
    expect(screen.queryByRole('link', { name: 'New Document' })).toBeNull();
    expect(screen.queryByRole('button', { name: 'Import' })).toBeNull();
  });
});

describe('a reader who may not write', () => {
  test('gets rows without a delete button, and no way to create or import', async () => {
    await table(DOCS, { writing: 'no right' });
    await grid();
    await expect.poll(ids).toEqual(['milk', 'oil', 'rice']);
    const names = screen
      .getAllByRole('button')
      .map((one) => one.getAttribute('aria-label') ?? one.textContent);
    expect(names.filter((name) => /Delete|Import|New|Edit/.test(name ?? ''))).toEqual([]);
    expect(screen.queryByRole('link', { name: 'New Document' })).toBeNull();
  });
});

describe('searching the table', () => {
  test('finds text in all fields, and keeps it in the address', async () => {
    const { path } = await table(DOCS);
    await grid();
    const field = screen.getByRole('searchbox', { name: 'Find in documents' });
    await act(async () => void fireEvent.change(field, { target: { value: 'A' } }));
    await expect.poll(path).toBe('/?find=A');
    await expect.poll(status).toContain('1 document found');
    expect(ids()).toEqual(['milk']);
  });

  test('shows the view that a link describes', async () => {
    const where = encodeURIComponent(JSON.stringify(['litres', 'at-least', '2']));
    await table(DOCS, { address: `/?where=${where}&sort=-litres` });
    await grid();
    await expect.poll(ids).toEqual(['oil', 'milk']);
    expect(screen.getByRole('list', { name: 'Conditions' }).textContent).toContain('litres is at least 2');
    const heading = screen.getAllByRole('columnheader').find(({ title }) => title === 'litres');
    expect(heading?.getAttribute('aria-sort')).toBe('descending');
  });

  test('ignores invalid conditions in the address', async () => {
    await table(DOCS, { address: '/?where=%7Bnot-json&where=%5B%22litres%22%2C%22toString%22%5D' });
    await grid();
    await expect.poll(ids).toEqual(['milk', 'oil', 'rice']);
    expect(screen.queryByRole('list', { name: 'Conditions' })).toBeNull();
  });

  test('removes one condition by its button', async () => {
    const one = ['litres', 'exists'];
    const other = ['shelf', 'equals', 'A'];
    const where = [one, other].map((each) => `where=${encodeURIComponent(JSON.stringify(each))}`).join('&');
    const { path } = await table(DOCS, { address: `/?${where}` });
    await grid();
    await expect.poll(ids).toEqual(['milk']);
    await press('Remove condition: shelf is A');
    await expect.poll(ids).toEqual(['milk', 'oil']);
    expect(decodeURIComponent(path())).toBe('/?filter=litres+exists');
  });

  test('offers to show all documents when none match', async () => {
    const { path } = await table(DOCS, { address: '/?find=nowhere' });
    await screen.findByText(/^No documents match\./);
    expect(status()).toContain('0 documents found');
    await press('Show all documents');
    await expect.poll(ids).toEqual(['milk', 'oil', 'rice']);
    expect(path()).toBe('/');
  });

  test('sorts ascending, then descending, then not at all when the user clicks a heading repeatedly', async () => {
    const { path } = await table(DOCS);
    await grid();
    await press('litres');
    await expect.poll(ids).toEqual(['milk', 'oil', 'rice']);
    expect(path()).toBe('/?sort=litres');
    await press('litres');
    await expect.poll(ids).toEqual(['oil', 'milk', 'rice']);
    await press('litres');
    expect(path()).toBe('/');
  });
});

describe('a filter as text', () => {
  const field = () => screen.getByRole<HTMLInputElement>('combobox', { name: 'Filter as text' });
  const apply = async (text: string) => {
    await act(async () => void fireEvent.change(field(), { target: { value: text } }));
    await press('Apply');
  };

  test('finds documents of groups, and is a step of the history', async () => {
    const { path, go } = await table(DOCS, { address: '/?filter=shelf+exists' });
    await grid();
    await expect.poll(ids).toEqual(['milk', 'rice']);
    await press('Edit as text');
    await apply('shelf = "B" or litres > 5');
    await expect.poll(ids).toEqual(['oil', 'rice']);
    expect(decodeURIComponent(path())).toBe('/?filter=shelf+=+"B"+or+litres+>+5');
    expect(status()).toContain('2 documents found');
    await go(-1);
    await expect.poll(ids).toEqual(['milk', 'rice']);
    expect(path()).toBe('/?filter=shelf+exists');
  });

  test('stays open with the reason while the address contains a mistake', async () => {
    const { path } = await table(DOCS, { address: '/?filter=litres+%3E' });
    await grid();
    expect(screen.getByText('Column 9: Expected a value here.')).toBeDefined();
    await apply('litres > 5');
    await expect.poll(ids).toEqual(['oil']);
    expect(decodeURIComponent(path())).toBe('/?filter=litres+>+5');
  });

  test('suggests nested fields of the documents', async () => {
    await table([{ _id: 'a', place: { city: 'Rome' } }], { address: '/?filter=_id+exists' });
    await grid();
    await press('Edit as text');
    const text = '_id exists and ci';
    await expect
      .poll(async () => {
        await act(async () => void fireEvent.change(field(), { target: { value: '' } }));
        await act(
          async () =>
            void fireEvent.change(field(), { target: { value: text, selectionStart: text.length } }),
        );
        return screen.queryAllByRole('option').map((one) => one.textContent);
      })
      .toEqual(['place.city1 of the first 1']);
  });

  test.each([...HOSTILE_NAMES.slice(0, -1)])('finds documents by a field named %j', async (name) => {
    const parts = [{ kind: 'test', path: fieldPath(name), test: 'equals', value: 5 } as const];
    const own = Object.fromEntries([
      ['_id', 'own'],
      [name, 5],
    ]);
    await table([own, { _id: 'other' }], {
      address: `/?${new URLSearchParams({ filter: textOfParts(parts) })}`,
    });
    await grid();
    await expect.poll(ids).toEqual(['own']);
  });
});

describe('the layout of a link', () => {
  test('arranges the columns, and changes in the address, not in this browser', async () => {
    const layout = encodeURIComponent('{"hidden":["shelf"]}');
    const { path } = await table(DOCS, { address: `/?layout=${layout}` });
    await grid();
    const titles = () => screen.getAllByRole('columnheader', { hidden: true }).map(({ title }) => title);
    await expect.poll(titles).toContain('litres');
    expect(titles()).not.toContain('shelf');
    await press(/^Columns/);
    const list = await screen.findByRole('list', { name: 'Columns' });
    await act(async () =>
      within(list)
        .getByRole('checkbox', { name: /^litres/ })
        .click(),
    );
    expect(decodeURIComponent(path())).toBe('/?layout={"hidden":["shelf","litres"]}');
    expect(localStorage.getItem('fixpoint:table:pantry')).toBeNull();
  });
});

describe('the view of the table', () => {
  test('remembers a hidden column in this browser', async () => {
    await table(DOCS);
    await grid();
    await press('Columns');
    const list = await screen.findByRole('list', { name: 'Columns' });
    await act(async () =>
      within(list)
        .getByRole('checkbox', { name: /^shelf/ })
        .click(),
    );
    const titles = () => screen.getAllByRole('columnheader', { hidden: true }).map(({ title }) => title);
    await expect.poll(titles).not.toContain('shelf');
    expect(localStorage.getItem('fixpoint:table:pantry')).toContain('"hidden":["shelf"]');
  });

  test('adds the condition that the user enters in the dialog', async () => {
    const { path } = await table(DOCS);
    await grid();
    await press('Filter');
    const field = await screen.findByLabelText('Field');
    await act(async () => void fireEvent.change(field, { target: { value: 'shelf' } }));
    await act(async () => void fireEvent.change(screen.getByLabelText('Value'), { target: { value: 'B' } }));
    await press('Add condition');
    await expect.poll(ids).toEqual(['rice']);
    expect(decodeURIComponent(path())).toBe('/?filter=shelf+contains+"B"');
  });

  test('keeps the columns in place when a new field appears, and offers to refresh them', async () => {
    const { database } = await table(DOCS);
    await grid();
    const titles = () => screen.getAllByRole('columnheader', { hidden: true }).map(({ title }) => title);
    await expect.poll(titles).toContain('shelf');
    const more = Array.from({ length: 5 }, (_, n) => ({ _id: `more-${n}`, fresh: n }));
    await act(async () => void (await database.bulk(more)));
    await screen.findByRole('button', { name: 'Refresh columns' });
    const before = titles();
    await press('Refresh columns');
    expect(titles()).not.toEqual(before);
    expect(titles().filter(Boolean)[1]).toBe('fresh');
  });

  test('selects rows, and counts them', async () => {
    await table(DOCS);
    await grid();
    await expect.poll(ids).toEqual(['milk', 'oil', 'rice']);
    await act(async () => screen.getByRole('checkbox', { name: 'Select oil' }).click());
    expect(screen.getByText('1 selected')).toBeDefined();
    await act(async () => screen.getByRole('checkbox', { name: 'Select all rows' }).click());
    expect(screen.queryByText(/selected$/)).toBeNull();
  });

  test('edits a cell by tap after the user turns on "Edit cells"', async () => {
    await table(DOCS);
    await grid();
    const toggle = screen.getByRole('button', { name: 'Edit cells', hidden: true });
    expect(toggle.getAttribute('aria-pressed')).toBe('false');
    await act(async () => toggle.click());
    expect(toggle.getAttribute('aria-pressed')).toBe('true');
    await act(async () => screen.getByRole('gridcell', { name: '10' }).click());
    const field = await screen.findByRole<HTMLInputElement>('textbox', { name: 'litres of oil' });
    expect(field.value).toBe('10');
  });
});

test('selects cells by tap after the user turns that on, without opening a document', async () => {
  const { path } = await table(DOCS);
  await grid();
  await press('More table actions');
  const mode = await screen.findByRole('menuitemcheckbox', { name: 'Select cells by tapping', hidden: true });
  await act(async () => mode.click());
  await act(async () => screen.getByRole('gridcell', { name: '10' }).click());
  expect(await screen.findByText('1 row × 1 column')).toBeDefined();
  expect(path()).toBe('/');
});

describe('the rows of the table', () => {
  const height = () => screen.getAllByRole('row', { hidden: true })[1]?.style.height;

  test('makes rows taller in the comfortable mode, and remembers the mode', async () => {
    await table(DOCS);
    await grid();
    await expect.poll(ids).toEqual(['milk', 'oil', 'rice']);
    expect(height()).toBe('32px');
    await press('More table actions');
    const mode = await screen.findByRole('menuitemcheckbox', { name: 'Comfortable rows' });
    await act(async () => mode.click());
    expect(height()).toBe('40px');
    expect(localStorage.getItem('fixpoint:rows')).toBe('comfortable');
    await act(async () => mode.click());
    expect([height(), localStorage.getItem('fixpoint:rows')]).toEqual(['32px', null]);
  });

  test('shows the end of an id that the engine chose, and names the whole id', async () => {
    const { database } = await table([]);
    const { id } = await database.put({ litres: 1 });
    const link = await screen.findByRole('link', { name: `${id.slice(-7)}, ${id}` });
    expect(link.textContent).toBe(id.slice(-7));
    expect(screen.getByRole('checkbox', { name: `Select ${id}` })).toBeDefined();
  });

  test('shows a list on a small screen, with the first text as the title', async () => {
    vi.stubGlobal('matchMedia', () => ({
      matches: true,
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    }));
    const { path } = await table([{ _id: 'milk', litres: 2, name: 'Oat milk', shelf: 'A' }], {
      address: '/?sort=litres',
    });
    await grid();
    const link = await screen.findByRole('link', { name: 'Oat milk' });
    expect(screen.queryAllByRole('columnheader')).toEqual([]);
    expect(screen.getAllByRole('gridcell').map(({ textContent }) => textContent)).toEqual([
      '',
      'Oat milkA',
      '2milk',
      '',
    ]);
    expect(screen.getByRole('button', { name: 'Delete milk' })).toBeDefined();
    await act(async () => screen.getByRole('checkbox', { name: 'Select milk' }).click());
    expect(screen.getByText('1 selected')).toBeDefined();
    await act(async () => link.click());
    expect(path()).toBe('/docs/milk');
  });
});

describe('the menu to sort by', () => {
  test('sorts by a field, then the other way round', async () => {
    const { path } = await table(DOCS);
    await grid();
    const choose = async () => {
      await press(/^Sort/);
      const item = await screen.findByRole('menuitem', { name: /^litres/ });
      await act(async () => item.click());
    };
    await choose();
    await expect.poll(path).toBe('/?sort=litres');
    await choose();
    await expect.poll(path).toBe('/?sort=-litres');
    await expect.poll(ids).toEqual(['oil', 'milk', 'rice']);
  });
});
