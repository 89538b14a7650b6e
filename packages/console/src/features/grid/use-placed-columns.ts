import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect, useMemo, useRef } from 'react';
import { filled, widthFor } from './column-widths.ts';
import type { GridColumn, GridRows, PlacedColumn } from './grid-column.ts';
import { useWidth } from './use-width.ts';

const SAMPLE_ROWS = 40;
/** Extra columns beyond the view. Each of them costs a cell in every row. */
const OVERSCAN = 1;
/** Maximum share of the view for pinned columns; further ones scroll with the others. */
const PINNED_PART_MAX = 0.6;
/** Maximum share of the view for the first column, so that even small screens show the next. */
const FIRST_PART_MAX = 0.45;

export interface PlacedColumns<Row> {
  /** Columns in view, and a few next to them. */
  readonly placed: readonly PlacedColumn<Row>[];
  /** Number of leading columns that stay at the left. */
  readonly pinned: number;
  readonly pinnedPx: number;
  readonly widthPx: number;
  /** Whether the columns exceed the view. */
  readonly areWide: boolean;
}

/**
 * Returns the columns' positions. A column keeps the width that fits its first rows until the user
 * resizes the column.
 */
export function usePlacedColumns<Row>(
  columns: readonly GridColumn<Row>[],
  rows: Pick<GridRows<Row>, 'rowAt'>,
  scroller: RefObject<HTMLElement | null>,
  takenPx: number,
): PlacedColumns<Row> {
  const widthById = useRef(new Map<string, number>()).current;
  const availablePx = useWidth(scroller);
  const fitting = useMemo(() => {
    const firstMost =
      columns.length > 1 && availablePx > 0 ? availablePx * FIRST_PART_MAX : Number.POSITIVE_INFINITY;
    const wanted = columns.map((column, at) => {
      if (column.widthPx !== undefined) return column.widthPx;
      const fit = fittingWidth(column, rows.rowAt, widthById);
      return at === 0 ? Math.floor(Math.min(fit, firstMost)) : fit;
    });
    return filled(wanted, availablePx - takenPx, isFixed(columns));
  }, [columns, rows, availablePx, takenPx, widthById]);
  const widths = useEqual(fitting);
  const { pinned, pinnedPx } = useMemo(
    () => pinnedOf(columns, widths, availablePx * PINNED_PART_MAX - takenPx),
    [columns, widths, availablePx, takenPx],
  );
  // This function must be stable: a new one would place all columns and render all rows again for
  // each row that appears.
  const rangeExtractor = useCallback((range: Range) => withFirst(range, Math.max(1, pinned)), [pinned]);
  const virtual = useVirtualizer({
    horizontal: true,
    count: columns.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => widths[at] ?? 0,
    overscan: OVERSCAN,
    scrollPaddingStart: pinnedPx,
    rangeExtractor,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: measures again whenever a width changes
  useEffect(() => virtual.measure(), [virtual, widths]);
  const items = virtual.getVirtualItems();
  const placed = useMemo(
    () =>
      items.flatMap(({ index, start, size }) => {
        const column = columns[index];
        return column === undefined ? [] : [{ column, at: index, leftPx: start, widthPx: size }];
      }),
    [items, columns],
  );
  const widthPx = virtual.getTotalSize() + takenPx;
  return { placed, pinned, pinnedPx, widthPx, areWide: widthPx > availablePx };
}

/**
 * Returns the previous list while the next one is equal, so that new rows don't place all columns
 * again.
 */
function useEqual(next: readonly number[]): readonly number[] {
  const kept = useRef(next);
  const isSame = kept.current.length === next.length && next.every((px, at) => px === kept.current[at]);
  if (!isSame) kept.current = next;
  return kept.current;
}

function fittingWidth<Row>(
  column: GridColumn<Row>,
  sample: (at: number) => Row | undefined,
  known: Map<string, number>,
): number {
  const before = known.get(column.id);
  if (before !== undefined) return before;
  const texts: string[] = [];
  for (let at = 0; at < SAMPLE_ROWS; at += 1) {
    const row = sample(at);
    if (row !== undefined) texts.push(column.text(row));
  }
  const width = widthFor(column.label, texts);
  if (texts.some((text) => text !== '')) known.set(column.id, width);
  return width;
}

const isFixed = <Row>(columns: readonly GridColumn<Row>[]): readonly boolean[] =>
  columns.map(({ widthPx }) => widthPx !== undefined);

function pinnedOf<Row>(columns: readonly GridColumn<Row>[], widths: readonly number[], mostPx: number) {
  let pinned = 0;
  let pinnedPx = 0;
  for (const [at, column] of columns.entries()) {
    const next = pinnedPx + (widths[at] ?? 0);
    if (column.pinned !== true || next > mostPx) break;
    pinned += 1;
    pinnedPx = next;
  }
  return { pinned, pinnedPx };
}

/** Returns the visible items and the first `first` ones, which always stay in the page. */
function withFirst(range: Range, first: number): number[] {
  const visible = new Set(defaultRangeExtractor(range));
  for (let at = 0; at < Math.min(first, range.count); at += 1) visible.add(at);
  return [...visible].sort((a, b) => a - b);
}
