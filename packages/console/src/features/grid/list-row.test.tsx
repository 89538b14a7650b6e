import { act, fireEvent, screen, within } from '@testing-library/react';
import { Trash2 } from 'lucide-react';
import { describe, expect, test, vi } from 'vitest';
import { drawPages, withPages } from '../../ui/pages.fixture.tsx';
import { HOSTILE_NAMES } from '../../values/hostile-names.fixture.ts';
import { columnOf, type Milk } from './drawn-grid.fixture.tsx';
import type { CellLook } from './grid-column.ts';
import { ListRow, type ListRowProps } from './list-row.tsx';

withPages();

const ROW: Milk = {
  id: 'd-1',
  litres: '2',
  name: 'Oat milk',
  shelf: 'A',
  price: '3 EUR',
  brand: 'B',
  note: 'N',
};
const COLUMNS = [
  columnOf('id', { look: 'id', whole: () => 'document-1' }),
  columnOf('litres', { look: 'number' }),
  columnOf('name'),
  columnOf('shelf'),
  columnOf('price', { look: 'number' }),
  columnOf('brand'),
  columnOf('note'),
];

/** Renders one row of a list. */
async function listed(given: Partial<ListRowProps<Milk>> = {}) {
  const seen = { onSelect: vi.fn(), onFocus: vi.fn(), openPath: vi.fn(), onEdit: vi.fn() };
  const Page = () => (
    // biome-ignore lint/a11y: the row is a part of a grid
    <div role="grid">
      <ListRow<Milk>
        row={ROW}
        at={4}
        topPx={0}
        rowPx={60}
        columns={COLUMNS}
        isActive={false}
        path="/milk/d-1"
        linkColumn="id"
        deletion={undefined}
        isSelected={undefined}
        editing={undefined}
        {...seen}
        {...given}
      />
    </div>
  );
  const pages = await drawPages(
    [
      { path: '/', Component: Page },
      { path: '*', Component: () => <h1>A document</h1> },
    ],
    '/',
  );
  const row = screen.getByRole('row');
  const cells = () =>
    within(row)
      .getAllByRole('gridcell')
      .map((cell) => [...cell.querySelectorAll('span.block, a')].map((part) => part.textContent));
  return { ...pages, ...seen, row, cells };
}

describe('a row of the list on a small screen', () => {
  test('has the first text as its title, four more fields, and the id', async () => {
    const { cells } = await listed();
    expect(cells()).toEqual([
      ['Oat milk', '2 · A · 3 EUR · B'],
      ['', 'd-1'],
    ]);
  });

  test('isolates the direction of each field, so that Arabic text doesn’t reverse the next date', async () => {
    const { row } = await listed({ row: { ...ROW, shelf: 'القاهرة', price: '2012-03-12' } });
    expect([...row.querySelectorAll('bdi')].map(({ textContent }) => textContent)).toEqual([
      '2',
      'القاهرة',
      '2012-03-12',
      'B',
    ]);
  });

  test('shows the sorted field at the right, and not again below the title', async () => {
    const columns = COLUMNS.map((one) =>
      one.id === 'price' ? { ...one, sorted: 'ascending' as const } : one,
    );
    const { cells } = await listed({ columns });
    expect(cells()).toEqual([
      ['Oat milk', '2 · A · B · N'],
      ['3 EUR', 'd-1'],
    ]);
  });

  test('shows the sorted field once if it is the title', async () => {
    const columns = COLUMNS.map((one) =>
      one.id === 'name' ? { ...one, sorted: 'ascending' as const } : one,
    );
    expect((await listed({ columns })).cells()).toEqual([
      ['Oat milk', '2 · A · 3 EUR · B'],
      ['', 'd-1'],
    ]);
  });

  test('leaves out empty fields', async () => {
    const { cells } = await listed({ row: { ...ROW, name: '', shelf: '', brand: '' } });
    expect(cells()[0]).toEqual(['N', '2 · 3 EUR']);
  });

  test('has a number as its title if it has no text', async () => {
    expect((await listed({ row: { id: 'd-1', litres: '2' } })).cells()[0]).toEqual(['2', '']);
  });

  test('has its id as the title if it has no fields', async () => {
    expect((await listed({ row: { id: 'd-1' } })).cells()).toEqual([
      ['d-1', ''],
      ['', 'd-1'],
    ]);
  });

  test('has its link as the title if the link is a name, and no id', async () => {
    const columns = [
      columnOf('name', { look: 'plain' }),
      columnOf('shelf'),
      columnOf('price', { sorted: 'descending' }),
    ];
    expect((await listed({ columns, linkColumn: 'name' })).cells()).toEqual([
      ['Oat milk', 'A'],
      ['3 EUR', ''],
    ]);
  });

  test('decides per row what is text, because a field may have other values elsewhere', async () => {
    const columns = COLUMNS.map((one) =>
      one.id === 'name'
        ? { ...one, look: ({ name }: Milk): CellLook => (name === '7' ? 'number' : 'plain') }
        : one,
    );
    expect((await listed({ columns, row: { ...ROW, name: '7' } })).cells()[0]?.[0]).toBe('A');
  });

  test('opens by its link, and by a tap anywhere in the row', async () => {
    const { path, openPath, row } = await listed();
    await act(async () => row.click());
    expect(openPath.mock.calls).toEqual([['/milk/d-1']]);
    await act(async () => screen.getByRole('link').click());
    expect([path(), openPath.mock.calls.length]).toEqual(['/milk/d-1', 1]);
  });

  test('is a stop for the Tab key only while it is the active row, and tells when it gets the focus', async () => {
    const { onFocus } = await listed();
    const link = screen.getByRole('link');
    expect(link.tabIndex).toBe(-1);
    await act(async () => link.focus());
    expect(onFocus.mock.calls).toEqual([[4]]);
  });

  test('is reached by the Tab key while it is the active row', async () => {
    await listed({ isActive: true });
    expect(screen.getByRole('link').tabIndex).toBe(0);
  });

  test('numbers its row for screen readers without a row of headings', async () => {
    expect((await listed()).row.getAttribute('aria-rowindex')).toBe('5');
  });

  test('is selected by its checkbox, named by the whole id, without being opened', async () => {
    const { onSelect, openPath, row } = await listed({ isSelected: false });
    const box = screen.getByRole('checkbox', { name: 'Select document-1' });
    await act(async () => void fireEvent.click(box));
    expect([onSelect.mock.calls, openPath.mock.calls]).toEqual([[[4, false]], []]);
    expect(row.getAttribute('aria-selected')).toBe('false');
  });

  test('says that it is selected', async () => {
    const { row } = await listed({ isSelected: true });
    expect(row.getAttribute('aria-selected')).toBe('true');
    expect(screen.getByRole<HTMLInputElement>('checkbox').checked).toBe(true);
  });

  test('has no checkbox where rows can’t be selected', async () => {
    const { row } = await listed();
    expect([screen.queryByRole('checkbox'), row.hasAttribute('aria-selected')]).toEqual([null, false]);
  });

  test('deletes its document by a button, without opening it', async () => {
    const run = vi.fn();
    const deletion = { label: ({ id }: Milk) => `Delete ${id}`, icon: <Trash2 aria-hidden />, run };
    const { openPath } = await listed({ deletion });
    await act(async () => screen.getByRole('button', { name: 'Delete d-1' }).click());
    expect([run.mock.calls, openPath.mock.calls]).toEqual([[[ROW]], []]);
  });

  test('says that its changes are unsent', async () => {
    const columns = [columnOf('id', { mark: () => 'Not sent yet: only on this device' }), columnOf('name')];
    await listed({ columns });
    expect(screen.getByRole('img', { name: 'Not sent yet: only on this device' })).toBeDefined();
  });

  test('has no link, no name and no button while it loads', async () => {
    const deletion = { label: () => 'Delete', icon: null, run: () => undefined };
    const { openPath, row } = await listed({ row: undefined, path: undefined, deletion, isSelected: false });
    expect([screen.queryByRole('link'), screen.queryByRole('button')]).toEqual([null, null]);
    expect(screen.getByRole('checkbox', { name: 'Select' })).toBeDefined();
    await act(async () => row.click());
    expect(openPath).not.toHaveBeenCalled();
  });

  test.each(
    [...HOSTILE_NAMES.filter((name) => name !== ''), '<img src=x>'].map((name) => [name.slice(0, 20), name]),
  )('shows the value %j as text', async (_shown, name) => {
    await listed({ row: { id: name, name } });
    expect(screen.getByRole('link').textContent).toBe(name);
    expect(document.querySelector('img')).toBeNull();
  });
});
