import { act, createEvent, fireEvent } from '@testing-library/react';
import { afterEach, describe, expect, test } from 'vitest';
import { withPages } from '../../ui/pages.fixture.tsx';
import { COLUMNS, drawGrid, type GridGiven, milks, withView } from './drawn-grid.fixture.tsx';
import type { BlockActions, CellBlock } from './grid-column.ts';

withPages();
withView();
afterEach(() => document.getSelection()?.removeAllRanges());

const block = (fromAt: number, toAt: number, ...columns: string[]): CellBlock => ({ fromAt, toAt, columns });

/** Renders a grid with four rows, and records what is done with blocks. */
async function drawBlocks(given: GridGiven = {}, more: Partial<BlockActions> = {}) {
  const calls: unknown[][] = [];
  const state: { block: CellBlock | undefined } = { block: undefined };
  const blocks: BlockActions = {
    copy: (of) => void calls.push(['copy', of]),
    paste: (onto, text) => void calls.push(['paste', onto, text]),
    fillDown: (of) => void calls.push(['fill', of]),
    lost: (what) => void calls.push(['lost', what]),
    changed: (now) => {
      state.block = now;
    },
    ...more,
  };
  const drawn = await drawGrid(milks(4), { blocks, ...given });
  /** Sends a clipboard event to the focused element; returns whether the grid handled it. */
  const clip = async (type: 'copy' | 'paste', text?: string) => {
    const target = document.activeElement ?? document.body;
    const event = new Event(type, { bubbles: true, cancelable: true });
    Object.assign(event, { clipboardData: text === undefined ? null : { getData: () => text } });
    await act(async () => void target.dispatchEvent(event));
    return event.defaultPrevented;
  };
  return {
    ...drawn,
    calls,
    clip,
    selected: () => state.block,
    at: (row: number, column: string) => drawn.focus(drawn.cell(row, column)),
    shift: (key: string) => drawn.press(key, { shiftKey: true }),
    shiftClick: (element: HTMLElement) => act(async () => void fireEvent.click(element, { shiftKey: true })),
  };
}

describe('a block selected with the keyboard', () => {
  test.each<[string, string[], CellBlock]>([
    ['down and right', ['ArrowDown', 'ArrowRight'], block(1, 2, 'litres', 'price')],
    ['up and left', ['ArrowUp', 'ArrowLeft'], block(0, 1, 'id', 'litres')],
    ['over the first cell to the other side', ['ArrowUp', 'ArrowDown', 'ArrowDown'], block(1, 2, 'litres')],
    ['to the last row and no further', ['ArrowDown', 'ArrowDown', 'ArrowDown'], block(1, 3, 'litres')],
    ['to the last column and no further', ['ArrowRight', 'ArrowRight'], block(1, 1, 'litres', 'price')],
  ])('extends %s', async (_name, keys, expected) => {
    const { at, shift, selected } = await drawBlocks();
    await at(1, 'litres');
    for (const key of keys) await shift(key);
    expect(selected()).toEqual(expected);
  });

  test.each(['ArrowDown', 'ArrowRight', 'Escape'])('ends with %s', async (key) => {
    const { at, shift, press, selected } = await drawBlocks();
    await at(1, 'litres');
    await shift('ArrowDown');
    expect(selected()).toBeDefined();
    await press(key);
    expect(selected()).toBeUndefined();
  });

  test('leaves Escape to the page when there is no block', async () => {
    const { at, press } = await drawBlocks();
    await at(1, 'litres');
    expect(await press('Escape')).toBe(false);
  });

  test.each(['ctrlKey', 'metaKey', 'altKey'])('stays as it is on arrows with %s', async (modifier) => {
    const { at, press, shift, selected } = await drawBlocks();
    await at(1, 'litres');
    await shift('ArrowDown');
    await press('ArrowDown', { shiftKey: true, [modifier]: true });
    expect(selected()).toEqual(block(1, 2, 'litres'));
  });

  test('offers no block in a list on a small screen', async () => {
    const { link, focus, shift, selected, clip, calls } = await drawBlocks({ isList: true });
    await focus(link(1));
    await shift('ArrowDown');
    await clip('copy');
    expect([selected(), calls]).toEqual([undefined, []]);
  });
});

describe('a block selected by taps', () => {
  test('is one cell after the first tap, and reaches to the cell of each further tap', async () => {
    const clears: (() => void)[] = [];
    let selected: CellBlock | undefined;
    const { cell, at, path } = await drawBlocks(
      {},
      {
        byTap: true,
        changed: (now, clear) => {
          selected = now;
          clears.push(clear);
        },
      },
    );
    const tap = (element: HTMLElement) => act(async () => void fireEvent.click(element));
    await at(0, 'id');
    await tap(cell(1, 'price'));
    expect(selected).toEqual(block(1, 1, 'price'));
    await tap(cell(3, 'litres'));
    expect(selected).toEqual(block(1, 3, 'litres', 'price'));
    await tap(cell(2, 'price'));
    expect([selected, path()]).toEqual([block(1, 2, 'price'), '/']);
    await act(async () => clears.at(-1)?.());
    expect(selected).toBeUndefined();
  });

  test('leaves taps on links to the browser', async () => {
    const { link, selected, path } = await drawBlocks({}, { byTap: true });
    await act(async () => link(1).click());
    expect([selected(), path()]).toEqual([undefined, '/milk/d-1']);
  });
});

describe('a block selected with Shift and a click', () => {
  test('reaches from the focused cell to the clicked one, without opening the row', async () => {
    const { at, cell, shiftClick, selected, path } = await drawBlocks();
    await at(3, 'price');
    await shiftClick(cell(1, 'litres'));
    expect(selected()).toEqual(block(1, 3, 'litres', 'price'));
    expect([path(), document.activeElement === cell(1, 'litres')]).toEqual(['/', true]);
    await shiftClick(cell(3, 'litres'));
    expect(selected()).toEqual(block(3, 3, 'litres', 'price'));
  });

  test('is one cell when nothing has the focus', async () => {
    const { cell, shiftClick, selected } = await drawBlocks();
    await shiftClick(cell(2, 'litres'));
    expect(selected()).toEqual(block(2, 2, 'litres'));
  });

  test('leaves links to the browser, which opens them in a window', async () => {
    const { at, link, selected } = await drawBlocks();
    await at(0, 'price');
    const event = createEvent.mouseDown(link(2), { shiftKey: true });
    await act(async () => void fireEvent(link(2), event));
    await act(async () => void fireEvent.click(link(2), { shiftKey: true }));
    expect([event.defaultPrevented, selected()]).toEqual([false, undefined]);
  });

  test('selects no text on the way, and ends with a normal click', async () => {
    const { at, cell, shiftClick, selected } = await drawBlocks({ rowPath: () => undefined });
    const pressed = (shiftKey: boolean) => !fireEvent.mouseDown(cell(1, 'price'), { shiftKey });
    expect([pressed(true), pressed(false)]).toEqual([true, false]);
    await at(0, 'litres');
    await shiftClick(cell(1, 'price'));
    await act(async () => void fireEvent.click(cell(2, 'price')));
    expect(selected()).toBeUndefined();
  });
});

describe('a block while the table changes', () => {
  async function twoRows() {
    const drawn = await drawBlocks();
    await drawn.at(1, 'litres');
    await drawn.shift('ArrowDown');
    return drawn;
  }

  test('follows its rows when others are added above', async () => {
    const { change, selected } = await twoRows();
    const [first] = milks(1);
    await change([{ ...first, id: 'new' }, ...milks(4)]);
    expect(selected()).toEqual(block(2, 3, 'litres'));
  });

  test('includes a row that moved between its rows', async () => {
    const { change, selected } = await twoRows();
    const [a, b, c, d] = milks(4);
    await change([a, b, d, c].filter((one) => one !== undefined));
    expect(selected()).toEqual(block(1, 3, 'litres'));
  });

  test('ends when one of its corners is deleted', async () => {
    const { change, selected } = await twoRows();
    await change(milks(4).filter(({ id }) => id !== 'd-2'));
    expect(selected()).toBeUndefined();
  });

  test('replaces no other cells while one of its corners is unknown', async () => {
    const { change, at, clip, press, calls } = await twoRows();
    await change(milks(4).filter(({ id }) => id !== 'd-2'));
    await at(1, 'litres');
    expect([await press('d', { ctrlKey: true }), await clip('copy'), await clip('paste', 'x')]).toEqual([
      true,
      true,
      true,
    ]);
    expect(calls).toEqual([
      ['lost', 'fill'],
      ['lost', 'copy'],
      ['lost', 'paste'],
    ]);
    calls.length = 0;
    await press('Escape');
    await clip('paste', 'x');
    expect(calls).toEqual([['paste', block(1, 1, 'litres'), 'x']]);
  });

  test('ends when its column is hidden', async () => {
    const { change, selected } = await twoRows();
    await change(milks(4), { columns: COLUMNS.filter(({ id }) => id !== 'litres') });
    expect(selected()).toBeUndefined();
  });
});

describe('the clipboard', () => {
  test('gets the block, or else the focused cell', async () => {
    const { at, shift, clip, calls } = await drawBlocks();
    await at(1, 'litres');
    await clip('copy');
    await shift('ArrowRight');
    await clip('copy');
    await clip('paste', 'x');
    expect(calls).toEqual([
      ['copy', block(1, 1, 'litres')],
      ['copy', block(1, 1, 'litres', 'price')],
      ['paste', block(1, 1, 'litres', 'price'), 'x'],
    ]);
  });

  test('belongs to the browser outside of the grid, and in an editor in the grid', async () => {
    const editor = () => <input aria-label="Editor" />;
    const { at, focus, press, clip, calls, cell } = await drawBlocks({
      editing: { canEdit: () => true, editor },
    });
    await focus(document.querySelector('button') as HTMLElement);
    const outside = [await clip('copy'), await clip('paste', 'x')];
    await at(1, 'litres');
    await press('F2');
    await focus(cell(1, 'litres').querySelector('input') as HTMLElement);
    const inside = [await clip('copy'), await clip('paste', 'x')];
    expect([outside, inside, calls]).toEqual([[false, false], [false, false], []]);
  });

  test('keeps a text that the user selected in the page', async () => {
    const { at, cell, clip, calls } = await drawBlocks();
    await at(1, 'litres');
    document.getSelection()?.selectAllChildren(cell(2, 'price'));
    await clip('copy');
    expect(calls).toEqual([]);
  });

  test.each([[''], [undefined]])('pastes nothing if its text is %j', async (text) => {
    const { at, clip, calls } = await drawBlocks();
    await at(1, 'litres');
    expect([await clip('paste', text), calls]).toEqual([false, []]);
  });

  test('is left to the browser on a paste by users who can’t write', async () => {
    const { at, clip } = await drawBlocks({ blocks: { copy: () => undefined } });
    await at(1, 'litres');
    expect(await clip('paste', 'x')).toBe(false);
  });

  test('is no longer read after the grid has gone', async () => {
    const { at, clip, calls, go } = await drawBlocks();
    await at(1, 'litres');
    await go('/milk/1');
    await clip('copy');
    expect(calls).toEqual([]);
  });
});

describe('filling down', () => {
  test.each<[string, number, string[], CellBlock]>([
    ['fills a cell from the one above', 2, [], block(1, 2, 'litres')],
    ['stays in the first row', 0, [], block(0, 0, 'litres')],
    ['fills the selected block', 1, ['ArrowDown', 'ArrowRight'], block(1, 2, 'litres', 'price')],
  ])('%s', async (_name, from, keys, expected) => {
    const { at, shift, press, calls } = await drawBlocks();
    await at(from, 'litres');
    for (const key of keys) await shift(key);
    expect(await press('d', { ctrlKey: true })).toBe(true);
    expect(calls).toEqual([['fill', expected]]);
  });

  test.each([{ shiftKey: true }, { altKey: true }])('leaves Ctrl+D with %j to the browser', async (more) => {
    const { at, press, calls } = await drawBlocks();
    await at(1, 'litres');
    expect(await press('d', { ctrlKey: true, ...more })).toBe(false);
    expect(calls).toEqual([]);
  });
});
