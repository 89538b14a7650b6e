import { cleanup, renderHook } from '@testing-library/react';
import { afterEach, describe, expect, test } from 'vitest';
import { columnOf, type Milk, withView } from './drawn-grid.fixture.tsx';
import type { GridColumn } from './grid-column.ts';
import { usePlacedColumns } from './use-placed-columns.ts';

withView(1000);
afterEach(cleanup);

/** Places these columns in a view of 1,000 pixels, of which actions take 100. */
function placed(columns: readonly GridColumn<Milk>[], list: readonly Milk[]) {
  const scroller = { current: document.createElement('div') };
  const { result, rerender } = renderHook(
    (given) => usePlacedColumns(given.columns, { rowAt: (at) => given.list[at] }, scroller, 100),
    { initialProps: { columns, list } },
  );
  const widths = () =>
    Object.fromEntries(result.current.placed.map(({ column, widthPx }) => [column.id, widthPx]));
  return { result, rerender, widths };
}

const fixed = (id: string, widthPx: number, pinned = false) => columnOf(id, { widthPx, pinned });

describe('the widths of columns', () => {
  test('fills the view, but keeps the first column only as wide as its texts', () => {
    const list = [{ id: 'd-1', litres: '1' }];
    const { result, widths } = placed([columnOf('id'), columnOf('litres'), columnOf('price')], list);
    const { id = 0, litres = 0, price = 0 } = widths();
    expect(id).toBeLessThan(120);
    expect(id + litres + price).toBe(900);
    expect([result.current.widthPx, result.current.areWide]).toEqual([1000, false]);
  });

  test('gives the first column at most 45 percent of the view', () => {
    const list = [{ id: 'x'.repeat(500), litres: '1' }];
    const { widths } = placed([columnOf('id'), columnOf('litres')], list);
    expect(widths()['id']).toBeLessThanOrEqual(450);
  });

  test('keeps the widths that fit the first rows when other rows load', () => {
    const columns = [columnOf('id'), columnOf('litres'), columnOf('price')];
    const short = [{ id: 'a', litres: '1', price: '1' }];
    const { widths, rerender } = placed(columns, short);
    const before = widths();
    rerender({ columns, list: [{ id: 'a', litres: 'a much longer text than before', price: '1' }] });
    expect(widths()).toEqual(before);
  });

  test('fits an empty column to its first texts when they load', () => {
    const columns = [columnOf('id'), columnOf('litres'), columnOf('price')];
    const { widths, rerender } = placed(columns, []);
    const before = widths()['litres'] ?? 0;
    rerender({ columns, list: [{ id: 'a', litres: 'a long text that needs much of the space' }] });
    expect(widths()['litres']).toBeGreaterThan(before);
  });

  test('uses the width that the user chose', () => {
    const { widths } = placed([columnOf('id'), fixed('litres', 222), columnOf('price')], []);
    expect(widths()['litres']).toBe(222);
  });

  test('reports that the columns are wider than the view', () => {
    const { result } = placed([fixed('id', 300), fixed('litres', 700)], []);
    expect([result.current.widthPx, result.current.areWide]).toEqual([1100, true]);
  });
});

describe('pinned columns', () => {
  test('keeps a pinned column at the left only if no unpinned column precedes it', () => {
    const { result } = placed(
      [fixed('id', 200, true), fixed('litres', 100, true), fixed('price', 900), fixed('more', 100, true)],
      [],
    );
    expect([result.current.pinned, result.current.pinnedPx]).toEqual([2, 300]);
  });

  test('limits pinned columns to 60 percent of the view', () => {
    const { result } = placed([fixed('id', 300, true), fixed('litres', 300, true), fixed('price', 900)], []);
    expect([result.current.pinned, result.current.pinnedPx]).toEqual([1, 300]);
  });
});

describe('columns beyond the view', () => {
  test('places only the columns in view', () => {
    const many = Array.from({ length: 300 }, (_, n) => fixed(`f${n}`, 200));
    const { result } = placed(many, []);
    expect(result.current.placed.length).toBeLessThan(10);
    expect(result.current.placed.map(({ leftPx }) => leftPx).slice(0, 3)).toEqual([0, 200, 400]);
    expect(result.current.widthPx).toBe(300 * 200 + 100);
  });
});
