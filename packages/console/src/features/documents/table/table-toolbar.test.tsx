import { act, fireEvent, screen, within } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Writing, WritingContext } from '../../../local/can-write.ts';
import { freshDatabase } from '../../../local/fresh-database.fixture.ts';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import type { Condition } from '../../filter/filter.ts';
import { StatusBar } from '../search/status-bar.tsx';
import { heldColumns } from './column-parts.fixture.tsx';
import type { TapMode } from './documents-grid.tsx';
import type { LiveRows, RowsState } from './live-rows.ts';
import { parseSearch, type TableSearch } from './table-search.ts';
import { TableToolbar } from './table-toolbar.tsx';
import type { TableColumns } from './use-table-columns.ts';

withPages();
beforeEach(() => localStorage.clear());
afterEach(() => void vi.restoreAllMocks());

const NOTHING = parseSearch(new URLSearchParams());
const SHELF: Condition = { kind: 'test', path: 'shelf', test: 'equals', value: 'A' };
const PRICED: Condition = { kind: 'test', path: 'price', test: 'exists' };

interface Given {
  readonly search?: Partial<TableSearch>;
  readonly writing?: Writing;
  readonly hidden?: readonly string[];
  readonly columns?: Partial<TableColumns>;
}

/** Renders the toolbar, and keeps the search and the modes that it changes. */
async function toolbar({ search = {}, writing = 'allowed', hidden = [], columns = {} }: Given = {}) {
  const database = await freshDatabase([{ _id: 'milk', shelf: 'A' }]);
  const { useColumns } = heldColumns({ hidden } as never, columns);
  const onImport = vi.fn();
  let now: TableSearch = { ...NOTHING, ...search };
  let isComfortable = false;
  function Page() {
    const [current, setSearch] = useState(now);
    const [tapMode, setTapMode] = useState<TapMode>('open');
    const [comfortable, setComfortable] = useState(false);
    now = current;
    isComfortable = comfortable;
    return (
      <WritingContext value={writing}>
        <TableToolbar
          {...{ database, search: current, onImport, tapMode, setTapMode }}
          changeSearch={setSearch}
          columns={useColumns()}
          live={{ ids: async function* ids() {} } as unknown as LiveRows}
          rowMode={{ isComfortable: comfortable, setComfortable, rowPx: undefined }}
        />
      </WritingContext>
    );
  }
  await drawPages([{ path: '/', Component: Page }], '/');
  return { search: () => now, isComfortable: () => isComfortable, onImport };
}

const button = (name: string | RegExp) => screen.getByRole('button', { name, hidden: true });
const press = (name: string | RegExp) => act(async () => button(name).click());
const items = async () =>
  (await screen.findAllByRole('menuitem', { hidden: true })).map((one) => one.textContent);
const choose = (name: string | RegExp) =>
  act(async () => screen.getByRole('menuitem', { name, hidden: true }).click());

describe('the actions above the table', () => {
  test('names them also on small screens, where they show only icons', async () => {
    await toolbar({ columns: { areOld: true } });
    for (const name of [
      /^Filter/,
      /^Sort/,
      /^Columns/,
      'Refresh columns',
      'Edit cells',
      'More table actions',
    ])
      expect(button(name)).toBeDefined();
  });

  test('says how many conditions apply', async () => {
    await toolbar({ search: { conditions: [SHELF, PRICED] } });
    const filter = button(/^Filter/);
    expect([filter.hasAttribute('data-applies'), filter.textContent?.trim()]).toEqual([true, 'Filter2']);
  });

  test('says nothing while no condition applies and all columns are shown', async () => {
    await toolbar();
    expect(button('Filter').hasAttribute('data-applies')).toBe(false);
    expect(button(/^Columns/).textContent?.trim()).toBe('Columns');
    expect(screen.queryByRole('list', { name: 'Conditions' })).toBeNull();
  });

  test('says how many columns are shown, only if some are hidden', async () => {
    await toolbar({ hidden: ['shelf'] });
    expect(button(/^Columns/).textContent?.trim()).toBe('Columns3 of 4');
  });

  test('refreshes columns only when new ones wait', async () => {
    const order = vi.fn();
    await toolbar({ columns: { areOld: true, order } });
    await press('Refresh columns');
    expect(order).toHaveBeenCalledTimes(1);
  });

  test('explains how to edit by tap while that is on', async () => {
    await toolbar();
    const note = () => screen.queryByText(/^Tap a cell to edit it/);
    expect([note(), screen.queryByRole('button', { name: 'Refresh columns' })]).toEqual([null, null]);
    await press('Edit cells');
    expect(note()).not.toBeNull();
    await press('Edit cells');
    expect(note()).toBeNull();
  });

  test('explains how to select cells by tap, which replaces editing by tap', async () => {
    await toolbar();
    await press('Edit cells');
    const choose = async () => {
      await press('More table actions');
      const name = 'Select cells by tapping';
      const mode = await screen.findByRole('menuitemcheckbox', { name, hidden: true });
      await act(async () => mode.click());
    };
    await choose();
    expect(screen.getByText(/^Tap two cells to select all cells between them/)).toBeDefined();
    expect(button('Edit cells').getAttribute('aria-pressed')).toBe('false');
    await choose();
    expect(screen.queryByText(/^Tap/)).toBeNull();
  });

  test.each(['no right', 'locked'] as readonly Writing[])(
    'offers nothing that writes: %s',
    async (writing) => {
      await toolbar({ writing });
      expect(screen.queryByRole('button', { name: 'Edit cells', hidden: true })).toBeNull();
      await press('More table actions');
      expect(await items()).not.toContain('Import');
    },
  );
});

describe('the search field above the table', () => {
  test('searches once the user stops typing, and keeps the conditions', async () => {
    const { search } = await toolbar({ search: { conditions: [SHELF] } });
    const field = screen.getByRole('searchbox', { name: 'Find in documents' });
    await act(async () => void fireEvent.change(field, { target: { value: 'm' } }));
    await act(async () => void fireEvent.change(field, { target: { value: 'milk' } }));
    expect(search().text).toBe('');
    await expect.poll(() => search()).toMatchObject({ text: 'milk', conditions: [SHELF] });
  });
});

describe('the menu to sort', () => {
  test('lists the fields, and says how the table is sorted', async () => {
    await toolbar({ search: { sort: 'price', descending: true } });
    expect(button(/^Sort/).textContent?.trim()).toBe('Sortprice');
    await press(/^Sort/);
    expect(await items()).toEqual(['document id', 'litres', 'pricedescending', 'shelf']);
  });

  test('closes the menu once a tap selects cells, and keeps it open for other options', async () => {
    await toolbar();
    await press('More table actions');
    const option = (name: string) => screen.findByRole('menuitemcheckbox', { name, hidden: true });
    await act(async () => (await option('Comfortable rows')).click());
    await act(async () => (await option('Select cells by tapping')).click());
    expect(screen.queryByRole('menu', { hidden: true })).toBeNull();
    expect(screen.getByText(/^Tap two cells/)).toBeDefined();
  });

  test.each([
    ['a phone, whose list has no headings', true, 20],
    ['a wide window, whose headings sort by the others', false, 12],
  ])('lists fields on %s', async (_, isNarrow, count) => {
    vi.stubGlobal('matchMedia', () => ({
      matches: isNarrow,
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    }));
    const fields = Array.from({ length: 20 }, (_one, at) => `field ${at}`);
    await toolbar({ columns: { fields } });
    await press(/^Sort/);
    expect(await items()).toEqual(fields.slice(0, count));
    expect(screen.getByTitle('field 3').textContent).toBe('field 3');
    vi.unstubAllGlobals();
  });

  test('sorts by the chosen field', async () => {
    const { search } = await toolbar();
    await press(/^Sort/);
    await items();
    await choose('shelf');
    expect(search()).toMatchObject({ sort: 'shelf', descending: false });
  });

  test('lists at most twelve fields of a wide table', async () => {
    const fields = Array.from({ length: 40 }, (_, at) => `field-${at}`);
    await toolbar({ columns: { fields } });
    await press(/^Sort/);
    expect(await items()).toEqual(fields.slice(0, 12));
  });
});

describe('the menu of more actions', () => {
  test('opens the import', async () => {
    const { onImport } = await toolbar();
    await press('More table actions');
    await items();
    await choose('Import');
    expect(onImport).toHaveBeenCalledTimes(1);
  });

  test('opens the columns, which have no button on small screens', async () => {
    await toolbar();
    await press('More table actions');
    await items();
    await choose('Columns');
    expect(await screen.findByRole('list', { name: 'Columns' })).toBeDefined();
  });

  test('switches between dense and comfortable rows', async () => {
    const { isComfortable } = await toolbar();
    await press('More table actions');
    const mode = await screen.findByRole('menuitemcheckbox', { name: 'Comfortable rows' });
    expect(mode.getAttribute('aria-checked')).toBe('false');
    await act(async () => mode.click());
    expect(isComfortable()).toBe(true);
  });

  test.each([
    ['a text', { text: 'milk' }],
    ['a condition', { conditions: [SHELF] }],
  ])('offers to export only what %s finds', async (_what, search) => {
    await toolbar({ search });
    await press('More table actions');
    expect(await screen.findByText('Export documents found')).toBeDefined();
  });

  test('offers only one export without a search', async () => {
    await toolbar();
    await press('More table actions');
    expect(await screen.findByText('Export all documents')).toBeDefined();
    expect(screen.queryByText('Export documents found')).toBeNull();
  });
});

describe('the conditions above the table', () => {
  const shown = () =>
    within(screen.getByRole('list', { name: 'Conditions' }))
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent);

  test('reads like a sentence', async () => {
    await toolbar({ search: { conditions: [SHELF, PRICED] } });
    expect(shown()).toEqual(['shelf is A', 'andprice exists', ' Add filter', 'Edit as textClear all']);
  });

  test('removes them one by one', async () => {
    const { search } = await toolbar({ search: { conditions: [SHELF, PRICED], text: 'milk' } });
    await press('Remove condition: shelf is A');
    expect(search()).toMatchObject({ conditions: [PRICED], text: 'milk' });
    await press('Remove condition: price exists');
    expect(search()).toMatchObject({ conditions: [], text: 'milk' });
  });

  test('removes only one of two equal conditions', async () => {
    const { search } = await toolbar({ search: { conditions: [SHELF, { ...SHELF }] } });
    await act(async () => screen.getAllByRole('button', { name: /^Remove condition/ })[0]?.click());
    expect(search().conditions).toEqual([SHELF]);
  });

  test('removes all of them together with the text', async () => {
    const { search } = await toolbar({ search: { conditions: [SHELF], text: 'milk', sort: 'price' } });
    await press('Clear all');
    expect(search()).toMatchObject({ conditions: [], text: '', sort: 'price' });
  });

  test('switches to text and back', async () => {
    const { search } = await toolbar({ search: { conditions: [SHELF, PRICED] } });
    await press('Edit as text');
    const field = screen.getByRole<HTMLInputElement>('combobox', { name: 'Filter as text' });
    expect(field.value).toBe('shelf = "A" and price exists');
    await act(async () => void fireEvent.change(field, { target: { value: 'shelf = "B" or price > 1' } }));
    await press('Apply');
    expect(search().conditions).toEqual([
      {
        kind: 'any',
        of: [
          { ...SHELF, value: 'B' },
          { kind: 'test', path: 'price', test: 'greater', value: 1 },
        ],
      },
    ]);
  });

  test('shows the text of an address that isn’t a filter, until it is corrected or dropped', async () => {
    const { search } = await toolbar({ search: { malformed: 'shelf =' } });
    expect(screen.getByText('Column 8: Expected a value here.')).toBeDefined();
    await press('Cancel');
    expect(search()).not.toHaveProperty('malformed');
    expect(screen.queryByRole('combobox', { name: 'Filter as text' })).toBeNull();
  });
});

describe('the line below the table', () => {
  const counted: RowsState = {
    phase: 'there',
    count: 1234,
    isCounted: true,
    fields: [],
    searching: undefined,
    looked: 0,
    tookMs: undefined,
    version: 0,
    error: undefined,
  };

  test.each<[string, Partial<RowsState>, Partial<TableSearch>]>([
    ['Loading...', { phase: 'loading', count: 0 }, {}],
    ['0 documents', { count: 0 }, {}],
    ['1 document', { count: 1 }, {}],
    ['1,234 documents', {}, {}],
    ['1,234+ documents, counting...', { isCounted: false }, {}],
    ['1 document found', { count: 1 }, { text: 'milk' }],
    ['1,234 documents found', {}, { conditions: [SHELF] }],
    [
      '0 documents found so far (29,000 searched)',
      { phase: 'loading', searching: 'first', count: 0, looked: 29_000 },
      { text: 'x' },
    ],
    [
      '23 documents found so far (29,000 searched)',
      { searching: 'first', count: 23, looked: 29_000 },
      { conditions: [SHELF] },
    ],
    ['23 documents found, checking changes...', { searching: 'again', count: 23 }, { text: 'x' }],
    ['Sorting... (500 searched)', { phase: 'loading', searching: 'first', looked: 500 }, { sort: 'price' }],
  ])('says %j', async (text, state, search) => {
    const database = await freshDatabase([]);
    const shown = { state: { ...counted, ...state }, search: { ...NOTHING, ...search } };
    const Page = () => <StatusBar database={database} {...shown} />;
    await drawPages([{ path: '/', Component: Page }], '/');
    expect(screen.getByRole('status').textContent).toBe(text);
  });
});
