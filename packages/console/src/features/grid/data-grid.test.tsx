import { act, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { withPages } from '../../ui/pages.fixture.tsx';
import { HOSTILE_NAMES } from '../../values/hostile-names.fixture.ts';
import { rowsOfList } from './data-grid.tsx';
import { columnOf, drawGrid, type Milk, milks, withView } from './drawn-grid.fixture.tsx';
import { ROW_PX } from './grid-column.ts';

withPages();
withView();
afterEach(() => void window.getSelection()?.removeAllRanges());

const click = (element: Element) => act(async () => void fireEvent.click(element));

describe('a grid of many rows', () => {
  test('renders the rows in view and a few more, and reports the number of all rows', async () => {
    const { grid, ids } = await drawGrid(milks(10_000));
    expect(ids().slice(0, 3)).toEqual(['d-0', 'd-1', 'd-2']);
    expect(ids().length).toBeGreaterThanOrEqual(10);
    expect(ids().length).toBeLessThan(25);
    expect(grid().getAttribute('aria-rowcount')).toBe('10001');
  });

  test('renders other rows when they scroll into view', async () => {
    const { scrollTo, ids, row } = await drawGrid(milks(10_000));
    await scrollTo(5000 * ROW_PX);
    expect(ids()).toContain('d-5000');
    expect(ids().length).toBeLessThan(30);
    expect(within(row(5000)).getByText('5000 EUR')).toBeDefined();
  });

  test('keeps the row with the focus in the page while it is out of view', async () => {
    const { scrollTo, ids, focus, link } = await drawGrid(milks(10_000));
    await focus(link(2));
    await scrollTo(5000 * ROW_PX);
    expect(ids()).toContain('d-2');
    expect(document.activeElement?.textContent).toBe('d-2');
  });

  test('reports the rows and columns in view, and again after scrolling', async () => {
    const seen: [number, number, readonly string[]][] = [];
    const onVisible = (...given: (typeof seen)[number]) => void seen.push(given);
    const { scrollTo } = await drawGrid(milks(10_000), { onVisible });
    const [from, to, columns] = seen.at(-1) ?? [];
    expect([from, columns]).toEqual([0, ['id', 'litres', 'price']]);
    expect(to).toBeGreaterThanOrEqual(8);
    await scrollTo(5000 * ROW_PX);
    expect(seen.at(-1)?.[0]).toBe(4999);
  });

  test('renders only a few of many columns, and always the first one', async () => {
    const many = [columnOf('id'), ...Array.from({ length: 500 }, (_, n) => columnOf(`f${n}`))];
    const { grid } = await drawGrid(milks(3), { columns: many });
    await act(async () => {
      grid().scrollLeft = 20_000;
      fireEvent.scroll(grid());
    });
    const headings = within(grid()).getAllByRole('columnheader', { hidden: true });
    expect(headings.map(({ title }) => title)).not.toContain('f0');
    expect(headings.length).toBeLessThan(20);
    expect(headings[0]?.title).toBe('id');
    expect(grid().getAttribute('aria-colcount')).toBe('501');
  });

  test('includes the columns of checkboxes and actions in the number of columns', async () => {
    const deletion = { label: ({ id }: Milk) => `Delete ${id}`, icon: 'x', run: () => undefined };
    const selection = {
      isSelected: () => false,
      all: 'none',
      toggle: () => undefined,
      toggleAll: () => undefined,
    } as const;
    const { grid, row } = await drawGrid(milks(2), { deletion, selection });
    const numbers = (parts: readonly HTMLElement[]) =>
      parts.map((part) => part.getAttribute('aria-colindex'));
    expect(grid().getAttribute('aria-colcount')).toBe('5');
    expect(numbers(within(grid()).getAllByRole('columnheader'))).toEqual(['1', '2', '3', '4', '5']);
    expect(numbers(within(row(1)).getAllByRole('gridcell'))).toEqual(['1', '2', '3', '4', '5']);
    expect(within(grid()).getByRole('columnheader', { name: 'Actions' })).toBeDefined();
  });
});

describe('a row that still loads', () => {
  const loading = { ...rowsOfList<Milk>([], ({ id }) => id), count: 3 };

  test('is rendered without text, link or action', async () => {
    const deletion = { label: () => 'Delete', icon: 'x', run: () => undefined };
    const { rows, grid } = await drawGrid([], { rows: loading, deletion });
    expect(rows().length).toBe(3);
    expect(within(grid()).queryAllByRole('link')).toEqual([]);
    expect(within(grid()).queryAllByRole('button')).toEqual([]);
    expect(rows().map(({ textContent }) => textContent)).toEqual(['', '', '']);
  });

  test('opens nothing on a click', async () => {
    const { row, path } = await drawGrid([], { rows: loading });
    await click(row(1));
    expect(path()).toBe('/');
  });
});

describe('opening a row', () => {
  test('opens the row on a click on any of its cells', async () => {
    const { cell, path } = await drawGrid(milks(3));
    await click(cell(1, 'price'));
    expect(path()).toBe('/milk/d-1');
  });

  test('opens the row once on a click on its link, without a second entry in the history', async () => {
    const { link, path, go } = await drawGrid(milks(3));
    await click(link(2));
    expect(path()).toBe('/milk/d-2');
    await go(-1);
    expect(path()).toBe('/');
  });

  test('doesn’t open the row when the click ends a selection of text', async () => {
    const { cell, path } = await drawGrid(milks(3));
    window.getSelection()?.selectAllChildren(cell(1, 'price'));
    await click(cell(1, 'price'));
    expect(path()).toBe('/');
  });

  test('doesn’t open the row when the user presses a button in it', async () => {
    const run = vi.fn();
    const deletion = { label: ({ id }: Milk) => `Delete ${id}`, icon: 'x', run };
    const { path } = await drawGrid(milks(3), { deletion });
    await click(screen.getByRole('button', { name: 'Delete d-1' }));
    expect(path()).toBe('/');
    expect(run.mock.calls.map(([row]) => row.id)).toEqual(['d-1']);
  });

  test('doesn’t open the row when a click began on a button that moved away', async () => {
    const deletion = { label: ({ id }: Milk) => `Delete ${id}`, icon: 'x', run: vi.fn() };
    const { row, cell, path } = await drawGrid(milks(3), { deletion });
    fireEvent.mouseDown(screen.getByRole('button', { name: 'Delete d-1' }));
    await click(row(1));
    expect(path()).toBe('/');
    fireEvent.mouseDown(cell(1, 'price'));
    await click(row(1));
    expect(path()).toBe('/milk/d-1');
  });

  test('opens the row by its link after a press on the link’s text', async () => {
    const { link, path } = await drawGrid(milks(3));
    fireEvent.mouseDown(link(1));
    await click(link(1));
    expect(path()).toBe('/milk/d-1');
  });

  test('doesn’t open the row when a part of it has handled the click', async () => {
    const { cell, path } = await drawGrid(milks(3));
    const target = cell(1, 'price');
    target.addEventListener('click', (event) => event.preventDefault());
    await click(target);
    expect(path()).toBe('/');
  });

  test('offers no link for a row without a target', async () => {
    const rowPath = ({ id }: Milk) => (id === 'd-1' ? undefined : `/milk/${id}`);
    const { row, path } = await drawGrid(milks(3), { rowPath });
    expect(within(row(1)).queryByRole('link')).toBeNull();
    expect(within(row(2)).getByRole('link').getAttribute('href')).toBe('/milk/d-2');
    await click(row(1));
    expect(path()).toBe('/');
  });
});

describe('texts in cells', () => {
  const markup = '<img src=x onerror="alert(1)">&amp;';

  test('shows markup as it was written', async () => {
    const { cell, link, grid } = await drawGrid([{ id: markup, litres: markup, price: '' }]);
    expect([cell(0, 'litres').textContent, link(0).textContent]).toEqual([markup, markup]);
    expect(grid().querySelector('img')).toBeNull();
  });

  test('shows a separate column with the right values for every hostile field name', async () => {
    const names = HOSTILE_NAMES.filter((name) => name.length < 100);
    const row = Object.fromEntries([['id', 'a'], ...names.map((name, at) => [name, `value ${at}`])]) as Milk;
    const columns = [columnOf('id'), ...names.map((name) => columnOf(name, { widthPx: 30 }))];
    const { row: rowAt } = await drawGrid([row], { columns });
    const texts = within(rowAt(0))
      .getAllByRole('gridcell')
      .map(({ textContent }) => textContent);
    expect(texts).toEqual(['a', ...names.map((_, at) => `value ${at}`)]);
  });

  test('shows the full text of a long cell as a tooltip, and no tooltip for a short one', async () => {
    const long = 'a text that a narrow column cuts off';
    const { cell } = await drawGrid([{ id: 'a', litres: long, price: 'short' }]);
    expect([cell(0, 'litres').title, cell(0, 'price').title]).toEqual([long, '']);
  });

  test.each([
    ['["תל אביב", false]', 'id', 'ltr'],
    ['{"city": "القاهرة"}', 'muted', 'ltr'],
    ['["תל אביב"] (a name)', 'plain', 'auto'],
    ['תל אביב', 'id', 'auto'],
  ] as const)('doesn’t reverse the JSON of a cell: %s, %s', async (text, look, dir) => {
    const columns = [columnOf('id'), columnOf('litres', { look, text: () => text })];
    const { cell } = await drawGrid(milks(1), { columns });
    expect(cell(0, 'litres').getAttribute('dir')).toBe(dir);
  });

  test('derives the writing direction of each cell from its text', async () => {
    const { cell } = await drawGrid([{ id: 'a', litres: 'חלב', price: 'milk' }]);
    expect(cell(0, 'litres').getAttribute('dir')).toBe('auto');
  });

  test('shows the mark of a row next to its link, with a name for screen readers', async () => {
    const mark = ({ id }: Milk) => (id === 'd-1' ? 'Not sent yet' : undefined);
    const columns = [columnOf('id', { mark }), columnOf('price', { mark })];
    const { row } = await drawGrid(milks(3), { columns });
    expect(within(row(1)).getAllByRole('img', { name: 'Not sent yet' }).length).toBe(1);
    expect(within(row(2)).queryByRole('img')).toBeNull();
  });

  test('shows the new rows when the rows change', async () => {
    const { change, ids, cell } = await drawGrid(milks(3));
    await change([{ id: 'd-0', litres: 'none left', price: '' }]);
    expect([ids(), cell(0, 'litres').textContent]).toEqual([['d-0'], 'none left']);
  });
});

describe('rowsOfList', () => {
  test('finds the position of a row by its id', () => {
    const rows = rowsOfList(milks(100), ({ id }) => id);
    expect([rows.count, rows.indexOf('d-42'), rows.indexOf('toString'), rows.rowAt(100)]).toEqual([
      100,
      42,
      undefined,
      undefined,
    ]);
  });
});
