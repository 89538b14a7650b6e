import { act, fireEvent, screen } from '@testing-library/react';
import { createPortal } from 'react-dom';
import { describe, expect, test } from 'vitest';
import { withPages } from '../../ui/pages.fixture.tsx';
import { drawGrid, focused, type GridGiven, milks, withView } from './drawn-grid.fixture.tsx';

withPages();
withView();

const editor = (name: string) => screen.queryByRole('textbox', { name });

/** Renders a grid whose cells are edited in a text field with a button that closes the editor. */
async function editable(byTap = false, given: GridGiven = {}) {
  const grid = await drawGrid(milks(4), {
    editing: {
      canEdit: (column) => column !== 'price',
      byTap,
      editor: (row, column, onClose) => (
        <>
          <input aria-label={`${column} of ${row.id}`} />
          <button type="button" onClick={onClose}>
            Close
          </button>
        </>
      ),
    },
    ...given,
  });
  const point = (element: Element, pointerType: string) =>
    act(async () => void fireEvent.pointerOver(element, { pointerType }));
  const close = () => act(async () => screen.getByRole('button', { name: 'Close' }).click());
  const click = (element: Element) => act(async () => void fireEvent.click(element));
  const edit = async (at: number, column: string) => {
    await grid.focus(grid.cell(at, column));
    await grid.press('F2');
  };
  return { ...grid, point, close, click, edit };
}

describe('editing a cell with the keyboard', () => {
  test('renders the editor only in that cell', async () => {
    const { edit } = await editable();
    await edit(1, 'litres');
    expect(screen.getAllByRole('textbox').map((one) => one.getAttribute('aria-label'))).toEqual([
      'litres of d-1',
    ]);
  });

  test('opens no editor in a cell that can’t be edited', async () => {
    const { edit } = await editable();
    await edit(1, 'price');
    expect(screen.queryByRole('textbox')).toBeNull();
  });

  test('returns the focus to the cell when the editor closes', async () => {
    const { edit, close } = await editable();
    await edit(1, 'litres');
    await act(async () => editor('litres of d-1')?.focus());
    await close();
    expect([editor('litres of d-1'), focused()]).toEqual([null, '1 l']);
  });

  test('returns the focus to the link when the editor of an id closes', async () => {
    const { edit, close, cell } = await editable();
    await edit(1, 'id');
    expect(cell(1, 'id').querySelector('input')).not.toBeNull();
    await act(async () => editor('id of d-1')?.focus());
    await close();
    expect(document.activeElement?.tagName).toBe('A');
  });

  test('keeps the focus where the user moved it', async () => {
    const { edit, close, focus } = await editable();
    await edit(1, 'litres');
    await focus(screen.getByRole('button', { name: 'Elsewhere' }));
    await close();
    expect(focused()).toBe('Elsewhere');
  });

  test('edits one cell at a time', async () => {
    const { edit } = await editable();
    await edit(1, 'litres');
    await edit(2, 'litres');
    expect(screen.getAllByRole('textbox').map((one) => one.getAttribute('aria-label'))).toEqual([
      'litres of d-2',
    ]);
  });

  test('keeps the editor and the typed text in the row when rows are added above', async () => {
    const { edit, change, row } = await editable();
    await edit(1, 'litres');
    await act(
      async () => void fireEvent.change(editor('litres of d-1') as Element, { target: { value: 'x' } }),
    );
    await change([{ id: 'new' }, ...milks(4)]);
    const field = row(2).querySelector('input');
    expect([field?.getAttribute('aria-label'), field?.value]).toEqual(['litres of d-1', 'x']);
  });

  test('closes the editor when its row is removed', async () => {
    const { edit, change } = await editable();
    await edit(1, 'litres');
    await change(milks(1));
    expect(screen.queryByRole('textbox')).toBeNull();
  });
});

describe('editing a cell with a mouse', () => {
  test('offers a button in the cell under the pointer, and edits on a click', async () => {
    const { point, cell, click, path } = await editable();
    await point(cell(2, 'litres'), 'mouse');
    await click(screen.getByRole('button', { name: 'Edit litres' }));
    expect([editor('litres of d-2') === null, path()]).toEqual([false, '/']);
  });

  test('moves the button to the cell under the pointer, and removes it when the pointer leaves', async () => {
    const { point, cell, grid } = await editable();
    await point(cell(2, 'litres'), 'mouse');
    await point(cell(1, 'litres'), 'mouse');
    expect(cell(1, 'litres').querySelector('button')).not.toBeNull();
    expect(cell(2, 'litres').querySelector('button')).toBeNull();
    await act(async () => void fireEvent.pointerOut(grid(), { relatedTarget: document.body }));
    expect(screen.queryByRole('button', { name: 'Edit litres' })).toBeNull();
  });

  test('offers no button in a cell that can’t be edited, and no button for touch', async () => {
    const { point, cell } = await editable();
    await point(cell(2, 'price'), 'mouse');
    await point(cell(2, 'litres'), 'touch');
    expect(screen.queryByRole('button', { name: /^Edit/ })).toBeNull();
  });

  test('offers no button in a grid that can’t be edited', async () => {
    const { point, cell } = await editable(false, { editing: undefined as never });
    await point(cell(2, 'litres'), 'mouse');
    expect(screen.queryByRole('button', { name: /^Edit/ })).toBeNull();
  });

  test('opens the row on a click in an editable cell', async () => {
    const { cell, click, path } = await editable();
    await click(cell(2, 'litres'));
    expect(path()).toBe('/milk/d-2');
  });
});

describe('editing by tap', () => {
  test('edits the tapped cell instead of opening the row', async () => {
    const { cell, click, path } = await editable(true);
    await click(cell(2, 'litres'));
    expect([editor('litres of d-2') === null, path()]).toEqual([false, '/']);
  });

  test('does nothing on a tap on a cell that can’t be edited', async () => {
    const { cell, click, path } = await editable(true);
    await click(cell(2, 'price'));
    expect([screen.queryByRole('textbox'), path()]).toEqual([null, '/']);
  });

  test('opens the row by its link', async () => {
    const { link, click, path } = await editable(true);
    await click(link(2));
    expect(path()).toBe('/milk/d-2');
  });
});

test('ignores clicks in a dialog that a cell opened elsewhere in the page', async () => {
  const { edit, click, path } = await editable(false, {
    editing: { canEdit: () => true, editor: () => createPortal(<p>In front</p>, document.body) },
  });
  await edit(1, 'litres');
  await click(screen.getByText('In front'));
  expect(path()).toBe('/');
});
