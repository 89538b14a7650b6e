import { act, fireEvent } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { withPages } from '../../ui/pages.fixture.tsx';
import { drawGrid, type GridGiven, milks, withView } from './drawn-grid.fixture.tsx';
import { type GridPlace, ROW_PX } from './grid-column.ts';

withPages();
withView();

const place = (more: Partial<GridPlace> = {}): GridPlace => ({
  topPx: 0,
  leftPx: 0,
  at: 0,
  id: '',
  column: undefined,
  ...more,
});

/** Renders a grid that returns to a place, and records the places that it reports. */
async function drawKept(initial: GridPlace | undefined, count = 100, given: GridGiven = {}) {
  const places: GridPlace[] = [];
  const kept = { initial, changed: (now: GridPlace) => void places.push(now) };
  const drawn = await drawGrid(milks(count), { place: kept, ...given });
  return { ...drawn, places };
}

describe('a grid that returns to its place', () => {
  test('restores the scroll position in both directions', async () => {
    const { grid } = await drawKept(place({ topPx: 30 * ROW_PX, leftPx: 40 }));
    expect([grid().scrollTop, grid().scrollLeft]).toEqual([30 * ROW_PX, 40]);
  });

  test('returns the focus to the row and its column, without a key of the user', async () => {
    const { cell } = await drawKept(place({ id: 'd-2', at: 2, column: 'price' }));
    expect(document.activeElement).toBe(cell(2, 'price'));
  });

  test('finds the row by its id when rows were added above it in the meantime', async () => {
    const { link } = await drawKept(place({ id: 'd-5', at: 3 }));
    expect(document.activeElement).toBe(link(5));
  });

  test('takes the row at the same position if the row was deleted in the meantime', async () => {
    const { link } = await drawKept(place({ id: 'deleted', at: 3 }));
    expect(document.activeElement).toBe(link(3));
  });

  test('takes the last row if the table has become shorter', async () => {
    const { link } = await drawKept(place({ id: 'deleted', at: 80 }), 4);
    expect(document.activeElement).toBe(link(3));
  });

  test('focuses the row if its column is no longer shown', async () => {
    const { link } = await drawKept(place({ id: 'd-2', at: 2, column: 'removed' }));
    expect(document.activeElement).toBe(link(2));
  });

  test('doesn’t take the focus if no row had it', async () => {
    await drawKept(place({ topPx: 10 * ROW_PX }));
    expect(document.activeElement).toBe(document.body);
  });

  test('shows an empty table where all rows were deleted', async () => {
    const { grid, places } = await drawKept(place({ id: 'd-2', at: 2, topPx: 0 }), 0);
    await act(async () => void fireEvent.scroll(grid()));
    expect(places.at(-1)).toMatchObject({ at: 0, topPx: 0 });
  });
});

describe('the place that a grid reports', () => {
  test('follows scrolling and the focus', async () => {
    const { scrollTo, cell, focus, places } = await drawKept(undefined);
    await focus(cell(1, 'litres'));
    expect(places.at(-1)).toEqual(place({ id: 'd-1', at: 1, column: 'litres' }));
    await scrollTo(20 * ROW_PX);
    expect(places.at(-1)).toMatchObject({ topPx: 20 * ROW_PX, id: 'd-1', column: 'litres' });
  });

  test('is the position of the row that is a tab stop before any row has the focus', async () => {
    const { scrollTo, places } = await drawKept(undefined);
    await scrollTo(5 * ROW_PX);
    expect(places.at(-1)).toMatchObject({ topPx: 5 * ROW_PX, id: 'd-0', at: 0 });
  });
});

describe('a grid whose rows load late', () => {
  /** Limits the scroll position to the height of the content, as browsers do. */
  function limited(grid: HTMLElement, mostPx: () => number) {
    let topPx = 0;
    Object.defineProperty(grid, 'scrollTop', {
      configurable: true,
      get: () => topPx,
      set: (px: number) => {
        topPx = Math.min(px, mostPx());
      },
    });
  }

  async function late() {
    let mostPx = 0;
    let given: HTMLElement | undefined;
    // Browsers limit the position from the start, so the first attempt has to fail too.
    const prototype = Object.getOwnPropertyDescriptor(Element.prototype, 'scrollTop');
    const own = { configurable: true, get: () => 0, set: () => undefined };
    Object.defineProperty(HTMLElement.prototype, 'scrollTop', own);
    try {
      const drawn = await drawKept(place({ topPx: 30 * ROW_PX }), 1);
      given = drawn.grid();
      limited(given, () => mostPx);
      const grow = async (count: number) => {
        mostPx = count * ROW_PX;
        await drawn.change(milks(count));
      };
      return { ...drawn, grow };
    } finally {
      Reflect.deleteProperty(HTMLElement.prototype, 'scrollTop');
      if (prototype !== undefined) Object.defineProperty(Element.prototype, 'scrollTop', prototype);
    }
  }

  test('reaches its place once there are enough rows, and reports no place before', async () => {
    const { grid, grow, places } = await late();
    await grow(10);
    await act(async () => void fireEvent.scroll(grid()));
    expect([grid().scrollTop, places]).toEqual([10 * ROW_PX, []]);
    await grow(100);
    expect(grid().scrollTop).toBe(30 * ROW_PX);
    await act(async () => void fireEvent.scroll(grid()));
    expect(places.at(-1)?.topPx).toBe(30 * ROW_PX);
  });

  test.each(['wheel', 'pointerDown', 'keyDown', 'touchStart'] as const)(
    'stays where the user scrolled after %s',
    async (event) => {
      const { grid, grow } = await late();
      await grow(10);
      await act(async () => void fireEvent[event](grid()));
      grid().scrollTop = 2 * ROW_PX;
      await grow(100);
      expect(grid().scrollTop).toBe(2 * ROW_PX);
    },
  );
});
