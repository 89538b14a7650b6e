import { act, fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { MenuItem } from '../../ui/overlays/menu.tsx';
import { withPages } from '../../ui/pages.fixture.tsx';
import { columnOf, drawGrid, focused, milks, withView } from './drawn-grid.fixture.tsx';

withPages();
withView();
beforeEach(() => {
  vi.spyOn(HTMLElement.prototype, 'setPointerCapture').mockReturnValue(undefined);
});

/** Renders a grid with all actions on columns, and records which of them ran. */
async function headings() {
  const ran: unknown[] = [];
  const grid = await drawGrid(milks(3), {
    columns: [
      columnOf('id', { widthPx: 200, sorted: 'ascending' }),
      columnOf('litres', { widthPx: 300 }),
      columnOf('price', { widthPx: 300, sorted: 'descending' }),
    ],
    columnActions: {
      sort: (id) => void ran.push(`sort ${id}`),
      resize: (...call) => void ran.push(call),
      move: (id, onto) => void ran.push(`move ${id} onto ${onto}`),
      menu: (id) => <MenuItem onClick={() => void ran.push(`hide ${id}`)}>Hide {id}</MenuItem>,
    },
  });
  const heading = (name: string) => {
    const found = within(grid.grid())
      .getAllByRole('columnheader', { hidden: true })
      .find(({ title }) => title === name);
    if (found === undefined) throw new Error(`no column ${name}`);
    return found;
  };
  const handle = (name: string) => heading(name).querySelector('[data-resizer]') as HTMLElement;
  return { ...grid, ran, heading, handle };
}

describe('the headings of a grid', () => {
  test('says how each column is sorted', async () => {
    const { heading } = await headings();
    const sorted = ['id', 'litres', 'price'].map((name) => heading(name).getAttribute('aria-sort'));
    expect(sorted).toEqual(['ascending', 'none', 'descending']);
  });

  test('names each heading by its column alone, because screen readers read it with each cell', async () => {
    const { heading } = await headings();
    expect(['id', 'litres'].map((name) => heading(name).getAttribute('aria-label'))).toEqual([
      'id',
      'litres',
    ]);
  });

  test('sorts on a click', async () => {
    const { ran } = await headings();
    await act(async () => screen.getByRole('button', { name: 'litres' }).click());
    expect(ran).toEqual(['sort litres']);
  });

  test('has no buttons and no sort order in a grid without column actions', async () => {
    const { grid } = await drawGrid(milks(3));
    const heading = within(grid()).getByRole('columnheader', { name: 'litres' });
    expect([within(heading).queryAllByRole('button'), heading.getAttribute('aria-sort')]).toEqual([[], null]);
    expect(heading.getAttribute('draggable')).not.toBe('true');
  });

  test('has tab stops only in the first heading, and moves between all buttons with left and right', async () => {
    const { grid, focus, press } = await headings();
    const buttons = within(grid()).getAllByRole<HTMLButtonElement>('button');
    expect(buttons.map(({ tabIndex }) => tabIndex)).toEqual([0, 0, -1, -1, -1, -1]);
    await focus(screen.getByRole('button', { name: 'id' }));
    await press('ArrowRight');
    expect(focused()).toBe('Column id');
    await press('ArrowRight');
    expect(focused()).toBe('litres');
    await press('ArrowLeft');
    expect(focused()).toBe('Column id');
  });

  test('stays at the last button, and ignores other keys', async () => {
    const { focus, press } = await headings();
    await focus(screen.getByRole('button', { name: 'Column price' }));
    expect([await press('ArrowRight'), focused()]).toEqual([false, 'Column price']);
    await focus(screen.getByRole('button', { name: 'price' }));
    expect([await press('ArrowDown'), await press('Home'), focused()]).toEqual([false, false, 'price']);
  });

  test('opens the menu of the column whose button was pressed', async () => {
    const { ran } = await headings();
    await act(async () => screen.getByRole('button', { name: 'Column price' }).click());
    const item = await screen.findByRole('menuitem', { name: 'Hide price' });
    await act(async () => item.click());
    expect(ran).toEqual(['hide price']);
  });
});

describe('dragging a column', () => {
  /** Returns the data that the browser keeps from the start of a drag to its end. */
  const transfer = (more: Readonly<Record<string, string>> = {}) => {
    const data = new Map(Object.entries(more));
    return {
      setData: (type: string, text: string) => void data.set(type, text),
      getData: (type: string) => data.get(type) ?? '',
      get types() {
        return [...data.keys()];
      },
    };
  };

  const drop = async (from: HTMLElement | undefined, onto: HTMLElement, dataTransfer = transfer()) => {
    let isOffered = false;
    await act(async () => {
      if (from !== undefined) fireEvent.dragStart(from, { dataTransfer });
      isOffered = !fireEvent.dragOver(onto, { dataTransfer });
      fireEvent.drop(onto, { dataTransfer });
    });
    return isOffered;
  };

  test('moves the column to the place of the column where it is dropped', async () => {
    const { heading, ran } = await headings();
    expect(await drop(heading('price'), heading('litres'))).toBe(true);
    expect(ran).toEqual(['move price onto litres']);
  });

  test('changes nothing when the column is dropped on itself', async () => {
    const { heading, ran } = await headings();
    await drop(heading('price'), heading('price'));
    expect(ran).toEqual([]);
  });

  test('ignores a drop of anything that isn’t a column', async () => {
    const { heading, ran } = await headings();
    expect(await drop(undefined, heading('litres'), transfer({ 'text/plain': 'price' }))).toBe(false);
    expect(ran).toEqual([]);
  });
});

describe('resizing a column', () => {
  const drag = (handle: HTMLElement, fromX: number, toX: number) =>
    act(async () => {
      fireEvent.pointerDown(handle, { clientX: fromX, pointerId: 1 });
      fireEvent.pointerMove(handle, { clientX: toX });
      fireEvent.pointerUp(handle);
    });

  test('changes the width as the pointer moves', async () => {
    const { handle, ran } = await headings();
    await drag(handle('litres'), 500, 460);
    expect(ran).toEqual([['litres', 260]]);
  });

  test('keeps the width between a minimum and a maximum', async () => {
    const { handle, ran } = await headings();
    await drag(handle('litres'), 500, -2000);
    await drag(handle('litres'), 500, 9000);
    expect(ran).toEqual([
      ['litres', 72],
      ['litres', 900],
    ]);
  });

  test('ends when the pointer is released', async () => {
    const { handle, ran } = await headings();
    await drag(handle('litres'), 500, 460);
    await act(async () => void fireEvent.pointerMove(handle('litres'), { clientX: 100 }));
    expect(ran.length).toBe(1);
  });

  test('resets the width on a double click', async () => {
    const { handle, ran } = await headings();
    await act(async () => void fireEvent.doubleClick(handle('litres')));
    expect(ran).toEqual([['litres', undefined]]);
  });

  test('doesn’t drag the column', async () => {
    const { handle } = await headings();
    const setData = vi.fn();
    let isCancelled = false;
    await act(async () => {
      isCancelled = !fireEvent.dragStart(handle('litres'), { dataTransfer: { setData, types: [] } });
    });
    expect([isCancelled, setData.mock.calls]).toEqual([true, []]);
  });
});
