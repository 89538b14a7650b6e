/** A table of any number of rows and columns, of which only the visible ones are in the page. */
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import { type FocusEvent, type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { filled, widthFor } from './column-widths.ts';
import { GridHeader, GridRow, type PlacedColumn } from './grid-row.tsx';
import { useRowFocus } from './use-row-focus.ts';
import { useScrollAnchor } from './use-scroll-anchor.ts';
import { useWidth } from './use-width.ts';

export interface GridColumn<Row> {
  readonly id: string;
  readonly label: string;
  /** What its cell shows of a row: short, for it is read whenever the row comes into view. */
  text(row: Row): string;
  readonly look?: 'id' | 'muted';
}

export interface RowAction<Row> {
  /** What a screen reader calls it, row by row. */
  label(row: Row): string;
  readonly icon: ReactNode;
  run(row: Row): void;
}

export interface DataGridProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly GridColumn<Row>[];
  /** Different for each row. Functions of a grid stay the same from render to render. */
  rowId(row: Row): string;
  /** Where a click on the row leads. */
  rowPath(row: Row): string;
  /** The column whose cell is the link of the row. */
  readonly linkColumn: string;
  /** Also run by the Delete key. */
  readonly deletion?: RowAction<Row>;
}

export const ROW_PX = 40;
export const ACTION_PX = 48;
const SAMPLE_ROWS = 40;
const OVERSCAN = { rows: 10, columns: 20 };

export function DataGrid<Row>(props: DataGridProps<Row>) {
  const { label, rows, rowId, deletion } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const actionPx = deletion === undefined ? 0 : ACTION_PX;
  const { placed, widthPx } = usePlacedColumns(props, scroller, actionPx);
  const [keptAt, keep] = useState(0);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN.rows,
    scrollMargin: ROW_PX,
    scrollPaddingStart: ROW_PX,
    rangeExtractor: (range) => including(range, Math.min(keptAt, range.count - 1)),
  });
  const focus = useRowFocus(scroller, rows, rowId, {
    page: () => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_PX) - 2),
    show: (at) => virtual.scrollToIndex(at),
    onDelete: deletion && ((row) => deletion.run(row)),
  });
  useEffect(() => keep(focus.activeAt), [focus.activeAt]);
  const remember = useScrollAnchor(scroller, rows, rowId, ROW_PX);

  return (
    // biome-ignore lint/a11y/useSemanticElements: rows are placed by themselves, which those of a table element cannot be
    <div
      ref={scroller}
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-colcount={props.columns.length + (deletion === undefined ? 0 : 1)}
      className="relative max-h-[max(14rem,calc(100dvh-15rem))] overflow-auto overscroll-x-contain rounded-lg border border-line bg-surface text-sm"
      onScroll={remember}
      onKeyDown={focus.onKeyDown}
      onBlur={(event: FocusEvent) => {
        if (event.relatedTarget !== null) focus.blurred();
      }}
    >
      <GridHeader
        placed={placed}
        widthPx={widthPx}
        actionLabel={deletion && 'Actions'}
        columnCount={props.columns.length}
      />
      {/* biome-ignore lint/a11y/useSemanticElements: see above */}
      <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize(), width: widthPx }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          return (
            row !== undefined && (
              <GridRow
                key={rowId(row)}
                row={row}
                at={index}
                topPx={start - ROW_PX}
                placed={placed}
                widthPx={widthPx}
                isActive={index === focus.activeAt}
                path={props.rowPath(row)}
                linkColumn={props.linkColumn}
                deletion={deletion}
                onFocus={focus.focused}
              />
            )
          );
        })}
      </div>
    </div>
  );
}

/** The visible columns with their places. A column keeps the width that its first rows asked for. */
function usePlacedColumns<Row>(
  { columns, rows }: DataGridProps<Row>,
  scroller: RefObject<HTMLDivElement | null>,
  actionPx: number,
): { readonly placed: readonly PlacedColumn<Row>[]; readonly widthPx: number } {
  const widthById = useRef(new Map<string, number>()).current;
  const availablePx = useWidth(scroller);
  const widths = useMemo(() => {
    const wanted = columns.map((column) => {
      const known = widthById.get(column.id);
      if (known !== undefined) return known;
      const width = widthFor(
        column.label,
        rows.slice(0, SAMPLE_ROWS).map((row) => column.text(row)),
      );
      widthById.set(column.id, width);
      return width;
    });
    return filled(wanted, availablePx - actionPx);
  }, [columns, rows, availablePx, actionPx, widthById]);
  const virtual = useVirtualizer({
    horizontal: true,
    count: columns.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => widths[at] ?? 0,
    overscan: OVERSCAN.columns,
    rangeExtractor: (range) => including(range, 0),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: measures again whenever a width is another one
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
  return { placed, widthPx: virtual.getTotalSize() + actionPx };
}

/** The visible items, and one that stays in the page wherever it is. */
function including(range: Range, at: number): number[] {
  const visible = defaultRangeExtractor(range);
  return at < 0 || visible.includes(at) ? visible : [...visible, at].sort((a, b) => a - b);
}
