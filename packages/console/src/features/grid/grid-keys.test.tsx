import { act, screen, within } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { withPages } from '../../ui/pages.fixture.tsx';
import {
  columnOf,
  drawGrid,
  focused,
  type GridGiven,
  type Milk,
  milks,
  withView,
} from './drawn-grid.fixture.tsx';

withPages();
withView();

/** Renders a grid of twenty rows with every action, and records which of them ran. */
async function gridWithActions(given: GridGiven = {}) {
  const ran: string[] = [];
  const grid = await drawGrid(milks(20), {
    deletion: {
      label: ({ id }) => `Delete ${id}`,
      icon: 'x',
      run: ({ id }) => void ran.push(`delete ${id}`),
    },
    selection: {
      isSelected: () => false,
      all: 'none',
      toggle: (at, id, toHere) => void ran.push(`select ${at} ${id}${toHere ? ' to here' : ''}`),
      toggleAll: () => void ran.push('select all'),
    },
    editing: {
      canEdit: (column) => column !== 'id',
      editor: (row, column) => <input aria-label={`${column} of ${row.id}`} />,
    },
    ...given,
  });
  return { ...grid, ran };
}

describe('moving with the keys', () => {
  test('makes one row the tab stop', async () => {
    const { grid } = await drawGrid(milks(20));
    const stops = within(grid())
      .getAllByRole('link')
      .filter(({ tabIndex }) => tabIndex === 0);
    expect(stops.map(({ textContent }) => textContent)).toEqual(['d-0']);
  });

  test('moves the focus and the tab stop from row to row', async () => {
    const { focus, link, press } = await drawGrid(milks(20));
    await focus(link(0));
    expect([await press('ArrowDown'), focused()]).toEqual([true, 'd-1']);
    await press('ArrowDown');
    await press('ArrowUp');
    expect([focused(), link(1).tabIndex, link(0).tabIndex]).toEqual(['d-1', 0, -1]);
  });

  test('keeps the focus at the first and the last row', async () => {
    const { focus, link, press } = await drawGrid(milks(3));
    await focus(link(0));
    await press('ArrowUp');
    expect(focused()).toBe('d-0');
    await press('End');
    await press('ArrowDown');
    expect(focused()).toBe('d-2');
  });

  test('moves by one view minus two rows with the page keys', async () => {
    const { focus, link, press } = await drawGrid(milks(20));
    await focus(link(1));
    await press('PageDown');
    expect(focused()).toBe('d-9');
    await press('PageUp');
    expect(focused()).toBe('d-1');
  });

  test('moves to the last of many rows, which isn’t rendered yet', async () => {
    const { focus, link, press } = await drawGrid(milks(5000));
    await focus(link(0));
    await press('End');
    await expect.poll(focused).toBe('d-4999');
    await press('Home');
    await expect.poll(focused).toBe('d-0');
  });

  test('moves between the cells of a row, and stops at the first and the last', async () => {
    const { focus, link, press } = await drawGrid(milks(3));
    await focus(link(1));
    await press('ArrowRight');
    expect(focused()).toBe('1 l');
    await press('ArrowRight');
    expect([focused(), await press('ArrowRight'), focused()]).toEqual(['1 EUR', false, '1 EUR']);
    await press('ArrowLeft');
    await press('ArrowLeft');
    expect([focused(), await press('ArrowLeft')]).toEqual(['d-1', false]);
  });

  test('keeps the column when the focus moves to another row', async () => {
    const { focus, cell, press } = await drawGrid(milks(20));
    await focus(cell(1, 'price'));
    await press('ArrowDown');
    expect(focused()).toBe('2 EUR');
    await press('Home');
    expect(focused()).toBe('0 EUR');
  });

  test('moves to the checkbox and the button of a row with left and right', async () => {
    const { focus, link, cell, press } = await gridWithActions();
    await focus(link(1));
    await press('ArrowLeft');
    expect(focused()).toBe('Select d-1');
    await focus(cell(1, 'price'));
    await press('ArrowRight');
    expect(focused()).toBe('Delete d-1');
  });

  test.each(['ctrlKey', 'metaKey', 'altKey'])('leaves keys with %s to the browser', async (modifier) => {
    const { focus, link, press, ran } = await gridWithActions();
    await focus(link(1));
    for (const key of ['ArrowDown', 'Home', 'Delete', ' ', 'F2'])
      expect([key, await press(key, { [modifier]: true })]).toEqual([key, false]);
    expect([focused(), ran]).toEqual(['d-1', []]);
  });

  test('ignores keys while a heading has the focus', async () => {
    const { grid, focus, press } = await drawGrid(milks(20), {
      columnActions: {
        sort: () => undefined,
        resize: () => undefined,
        move: () => undefined,
        menu: () => null,
      },
    });
    await focus(within(grid()).getByRole('button', { name: 'litres' }));
    expect([await press('ArrowDown'), await press('End')]).toEqual([false, false]);
    expect(focused()).toBe('litres');
  });
});

describe('keys that act on a row', () => {
  test('deletes the row with the focus', async () => {
    const { focus, link, press, ran } = await gridWithActions();
    await focus(link(3));
    expect(await press('Delete')).toBe(true);
    expect(ran).toEqual(['delete d-3']);
  });

  test('deletes nothing where rows can’t be deleted', async () => {
    const { focus, link, press } = await drawGrid(milks(3));
    await focus(link(1));
    expect(await press('Delete')).toBe(false);
  });

  test('selects the row from its link and from a cell', async () => {
    const { focus, link, cell, press, ran } = await gridWithActions();
    await focus(link(2));
    await press(' ');
    await focus(cell(4, 'price'));
    await press(' ');
    expect(ran).toEqual(['select 2 d-2', 'select 4 d-4']);
  });

  test('ignores the space key on a focused button, which the browser presses', async () => {
    const { focus, press, ran } = await gridWithActions();
    await focus(screen.getByRole('button', { name: 'Delete d-2' }));
    expect([await press(' '), ran]).toEqual([false, []]);
  });

  test.each(['F2', 'Enter'])('edits the focused cell with %s', async (key) => {
    const { focus, cell, press } = await gridWithActions();
    await focus(cell(2, 'price'));
    expect(await press(key)).toBe(true);
    expect(screen.getByRole('textbox', { name: 'price of d-2' })).toBeDefined();
  });

  test('ignores Enter on a focused link, which the browser opens', async () => {
    const { focus, link, press } = await gridWithActions({
      editing: { canEdit: () => true, editor: () => <input aria-label="editor" /> },
    });
    await focus(link(2));
    expect([await press('Enter'), screen.queryByRole('textbox')]).toEqual([false, null]);
  });

  test('ignores other keys', async () => {
    const { focus, link, press, ran } = await gridWithActions();
    await focus(link(2));
    for (const key of ['a', 'Tab', 'Escape', 'toString'])
      expect([key, await press(key)]).toEqual([key, false]);
    expect(ran).toEqual([]);
  });
});

describe('the focus while rows change', () => {
  test('follows its row when rows are added above it', async () => {
    const { focus, link, change, press } = await drawGrid(milks(5));
    await focus(link(1));
    await change([{ id: 'new' }, ...milks(5)]);
    expect([focused(), link(2).tabIndex]).toEqual(['d-1', 0]);
    await press('ArrowDown');
    expect(focused()).toBe('d-2');
  });

  test('moves to the row that took the place of a removed one', async () => {
    const { focus, link, change } = await drawGrid(milks(5));
    await focus(link(1));
    await change(milks(5).filter(({ id }) => id !== 'd-1'));
    expect(focused()).toBe('d-2');
  });

  test('moves to the new last row when the last one is removed', async () => {
    const { focus, link, change } = await drawGrid(milks(5));
    await focus(link(4));
    await change(milks(4));
    expect(focused()).toBe('d-3');
  });

  test('doesn’t return to the grid after the user left it', async () => {
    const { focus, link, change } = await drawGrid(milks(5));
    await focus(link(1));
    await focus(screen.getByRole('button', { name: 'Elsewhere' }));
    await act(async () => (document.activeElement as HTMLElement).blur());
    await change(milks(5).filter(({ id }) => id !== 'd-1'));
    expect(document.activeElement).toBe(document.body);
  });

  test('doesn’t move to the grid when the page opens', async () => {
    await drawGrid(milks(5));
    expect(document.activeElement).toBe(document.body);
  });

  test('makes a row the tab stop when one of its cells gets the focus', async () => {
    const { focus, link, cell } = await drawGrid(milks(5));
    await focus(cell(3, 'price'));
    expect([link(3).tabIndex, link(0).tabIndex]).toEqual([0, -1]);
  });
});

test('acts on the current rows after the rows were replaced', async () => {
  const run = vi.fn<(row: Milk) => void>();
  const { focus, link, change, press } = await drawGrid(milks(2), {
    columns: [columnOf('id')],
    deletion: { label: ({ id }) => id, icon: 'x', run },
  });
  await change([{ id: 'other' }]);
  await focus(link(0));
  await press('Delete');
  expect(run.mock.calls).toEqual([[{ id: 'other' }]]);
});
