/** Renders a grid with a view of a known size, since the tests' document has no layout. */
import { act, fireEvent, screen, within } from '@testing-library/react';
import { type ComponentProps, useState } from 'react';
import { afterEach, beforeEach, vi } from 'vitest';
import { drawPages } from '../../ui/pages.fixture.tsx';
import { DataGrid, rowsOfList } from './data-grid.tsx';
import { type GridColumn, type GridRows, ROW_PX } from './grid-column.ts';

/** Gives every element this inner size. Must be called once in a file that renders grids. */
export function withView(widthPx = 800, rows = 10): void {
  beforeEach(() => {
    vi.stubGlobal('matchMedia', () => ({
      matches: false,
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    }));
    for (const [name, px] of [
      ['clientWidth', widthPx],
      ['offsetWidth', widthPx],
      ['clientHeight', rows * ROW_PX],
      ['offsetHeight', rows * ROW_PX],
    ] as const)
      vi.spyOn(HTMLElement.prototype, name, 'get').mockReturnValue(px);
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });
}

export interface Milk {
  readonly id: string;
  readonly [field: string]: string;
}

export const columnOf = (id: string, more: Partial<GridColumn<Milk>> = {}): GridColumn<Milk> => ({
  id,
  label: id,
  text: (row) => row[id] ?? '',
  ...more,
});

export const COLUMNS: readonly GridColumn<Milk>[] = ['id', 'litres', 'price'].map((id) => columnOf(id));

/** Returns rows with the ids `d-0`, `d-1` and so on. */
export const milks = (count: number): readonly Milk[] =>
  Array.from({ length: count }, (_, n) => ({ id: `d-${n}`, litres: `${n} l`, price: `${n} EUR` }));

/** Skips the search for hidden ancestors of every element, which takes most of the time. */
const QUICKLY = { hidden: true } as const;

const idOf = ({ id }: Milk): string => id;
const pathOf = ({ id }: Milk): string => `/milk/${id}`;

export type GridGiven = Partial<ComponentProps<typeof DataGrid<Milk>>>;

/** Renders a grid of this list, and a button with the name Elsewhere. */
export async function drawGrid(list: readonly Milk[], given: GridGiven = {}) {
  let change: (list: readonly Milk[], given: GridGiven) => void = () => undefined;
  function Page() {
    const [now, set] = useState({ rows: given.rows ?? rowsOfList(list, idOf), given });
    change = (next, more) => set({ rows: rowsOfList(next, idOf), given: { ...now.given, ...more } });
    const { rows: _, ...props } = now.given;
    return (
      <>
        <DataGrid<Milk>
          label="Milk"
          columns={COLUMNS}
          rowPath={pathOf}
          linkColumn="id"
          {...props}
          rows={now.rows as GridRows<Milk>}
        />
        <button type="button">Elsewhere</button>
      </>
    );
  }
  const pages = await drawPages(
    [
      { path: '/', Component: Page },
      { path: '/milk/:id', Component: () => <h1>A document</h1> },
    ],
    '/',
  );
  const grid = () => screen.getByRole('grid', QUICKLY);
  const rows = () => within(grid()).getAllByRole('row', QUICKLY).slice(1);
  const row = (at: number) => {
    const found = rows().find((one) => one.getAttribute('aria-rowindex') === `${at + 2}`);
    if (found === undefined) throw new Error(`no row ${at} in the page`);
    return found;
  };
  const cell = (at: number, column: string) => {
    const headings = within(grid()).getAllByRole('columnheader', QUICKLY);
    const number = headings.find(({ title }) => title === column)?.getAttribute('aria-colindex');
    const found = within(row(at))
      .getAllByRole('gridcell', QUICKLY)
      .find((one) => one.getAttribute('aria-colindex') === number);
    if (found === undefined) throw new Error(`no cell of ${column} in row ${at}`);
    return found;
  };
  return {
    ...pages,
    grid,
    rows,
    row,
    cell,
    link: (at: number) => within(row(at)).getByRole('link', QUICKLY),
    /** Returns the ids of the rows in the page. */
    ids: () => rows().map((one) => within(one).queryByRole('link', QUICKLY)?.textContent),
    change: (next: readonly Milk[], more: GridGiven = {}) => act(async () => change(next, more)),
    focus: (element: HTMLElement) => act(async () => element.focus()),
    /** Presses a key on the focused element; returns whether the grid handled the key. */
    press: async (key: string, modifiers: Partial<KeyboardEventInit> = {}) => {
      let isUsed = false;
      await act(async () => {
        isUsed = !fireEvent.keyDown(document.activeElement ?? document.body, { key, ...modifiers });
      });
      return isUsed;
    },
    scrollTo: (px: number) =>
      act(async () => {
        grid().scrollTop = px;
        fireEvent.scroll(grid());
      }),
  };
}

/** Returns the accessible name of the focused element, or else its text. */
export const focused = (): string | null | undefined =>
  document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent;
