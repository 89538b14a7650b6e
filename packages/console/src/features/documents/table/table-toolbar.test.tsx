import { act, fireEvent, screen, within } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Writing, WritingContext } from '../../../local/can-write.ts';
import { freshDatabase } from '../../../local/fresh-database.fixture.ts';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import { HOSTILE_NAMES } from '../../../values/hostile-names.fixture.ts';
import { heldColumns } from './column-parts.fixture.tsx';
import type { LiveRows, RowsState } from './live-rows.ts';
import { type Condition, parseSearch, type TableSearch } from './table-search.ts';
import { StatusBar, TableToolbar } from './table-toolbar.tsx';
import type { TableColumns } from './use-table-columns.ts';

withPages();
beforeEach(() => localStorage.clear());
afterEach(() => void vi.restoreAllMocks());

const NOTHING = parseSearch(new URLSearchParams());
const SHELF: Condition = { field: 'shelf', test: 'equals', value: 'A' };
const PRICED: Condition = { field: 'price', test: 'exists', value: '' };

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
    const [editsByTap, editByTap] = useState(false);
    const [comfortable, setComfortable] = useState(false);
    now = current;
    isComfortable = comfortable;
    return (
      <WritingContext value={writing}>
        <TableToolbar
          {...{ database, search: current, onImport, editsByTap, editByTap }}
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
    expect([filter.getAttribute('aria-pressed'), filter.textContent?.trim()]).toEqual(['true', 'Filter2']);
  });

  test('says nothing while no condition applies and all columns are shown', async () => {
    await toolbar();
    expect(button('Filter').getAttribute('aria-pressed')).toBe('false');
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
    expect(shown()).toEqual(['shelf is A', 'price exists', 'Clear all']);
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

  test.each(HOSTILE_NAMES.map((name) => [name.slice(0, 20), name]))(
    'shows and removes a condition with the value %j',
    async (_shown, value) => {
      const { search } = await toolbar({ search: { conditions: [{ ...SHELF, value }] } });
      expect(shown()[0]).toBe(`shelf is ${value}`);
      await act(async () => screen.getByRole('button', { name: /^Remove condition/ }).click());
      expect(search().conditions).toEqual([]);
    },
  );
});

describe('the line below the table', () => {
  const counted: RowsState = {
    phase: 'there',
    count: 1234,
    isCounted: true,
    fields: [],
    looked: undefined,
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
      { phase: 'loading', count: 0, looked: 29_000 },
      { text: 'x' },
    ],
  ])('says %j', async (text, state, search) => {
    const Page = () => <StatusBar state={{ ...counted, ...state }} search={{ ...NOTHING, ...search }} />;
    await drawPages([{ path: '/', Component: Page }], '/');
    expect(screen.getByRole('status').textContent).toBe(text);
  });
});
