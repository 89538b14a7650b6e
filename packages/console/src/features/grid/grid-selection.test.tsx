import { act, fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, test } from 'vitest';
import { drawPages, withPages } from '../../ui/pages.fixture.tsx';
import { DataGrid, rowsOfList } from './data-grid.tsx';
import { COLUMNS, drawGrid, type Milk, milks, withView } from './drawn-grid.fixture.tsx';

withPages();
withView();

const box = (name: string) => screen.getByRole<HTMLInputElement>('checkbox', { name });
const click = (name: string, shiftKey = false) =>
  act(async () => void fireEvent.click(box(name), { shiftKey }));

/** Renders a grid with a selection, and records the calls of `toggle`. */
async function selectable(count: number) {
  const calls: unknown[] = [];
  const rows = rowsOfList(milks(count), ({ id }: Milk) => id);
  function Page() {
    const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
    const all = ids.size === 0 ? 'none' : ids.size === count ? 'all' : 'some';
    return (
      <DataGrid
        label="Milk"
        rows={rows}
        columns={COLUMNS}
        linkColumn="id"
        rowPath={({ id }) => `/${id}`}
        selection={{
          isSelected: (id) => ids.has(id),
          all,
          toggle: (...call) => {
            calls.push(call);
            setIds((now) => new Set([...now, call[1]]));
          },
          toggleAll: () => setIds(new Set(all === 'none' ? milks(count).map(({ id }) => id) : [])),
        }}
      />
    );
  }
  const { path } = await drawPages([{ path: '/', Component: Page }], '/');
  const isSelected = (at: number) =>
    screen.getAllByRole('row', { hidden: true })[at + 1]?.getAttribute('aria-selected');
  return { calls, path, isSelected };
}

describe('rows that can be selected', () => {
  test('names each checkbox after its row, and says which rows are selected', async () => {
    const { isSelected, calls } = await selectable(3);
    expect([isSelected(0), isSelected(1)]).toEqual(['false', 'false']);
    await click('Select d-1');
    expect([isSelected(0), isSelected(1), box('Select d-1').checked]).toEqual(['false', 'true', true]);
    expect(calls).toEqual([[1, 'd-1', false]]);
  });

  test('selects the range up to a row on a click with the shift key', async () => {
    const { calls } = await selectable(3);
    await click('Select d-0');
    await click('Select d-2', true);
    expect(calls.at(-1)).toEqual([2, 'd-2', true]);
  });

  test('doesn’t open a row when its checkbox is clicked', async () => {
    const { path } = await selectable(3);
    await click('Select d-0');
    expect(path()).toBe('/');
  });

  test('shows in the heading whether all, some or no rows are selected', async () => {
    await selectable(2);
    const shown = () => [box('Select all rows').checked, box('Select all rows').indeterminate];
    expect(shown()).toEqual([false, false]);
    await click('Select d-0');
    expect(shown()).toEqual([false, true]);
    await click('Select all rows');
    expect(shown()).toEqual([false, false]);
    await click('Select all rows');
    expect([shown(), box('Select d-1').checked]).toEqual([[true, false], true]);
  });

  test('keeps the checkboxes of rows out of the tab order, but not the checkbox of the heading', async () => {
    await selectable(2);
    expect([box('Select d-0').tabIndex, box('Select all rows').tabIndex]).toEqual([-1, 0]);
  });

  test('says that several rows can be selected', async () => {
    await selectable(2);
    expect(screen.getByRole('grid').getAttribute('aria-multiselectable')).toBe('true');
  });
});

test('has no checkboxes and selects nothing in a grid without selection', async () => {
  const { grid, row, link, focus, press } = await drawGrid(milks(3));
  expect(screen.queryByRole('checkbox')).toBeNull();
  expect(grid().getAttribute('aria-multiselectable')).toBeNull();
  expect(row(1).getAttribute('aria-selected')).toBeNull();
  await focus(link(1));
  expect(await press(' ')).toBe(false);
});

test('ignores the checkbox of a row that is still loading', async () => {
  const calls: unknown[] = [];
  const loading = { ...rowsOfList<Milk>([], ({ id }) => id), count: 1 };
  const selection = {
    isSelected: () => false,
    all: 'none',
    toggle: (...call: unknown[]) => void calls.push(call),
    toggleAll: () => undefined,
  } as const;
  await drawGrid([], { rows: loading, selection });
  await click('Select');
  expect(calls).toEqual([]);
});
