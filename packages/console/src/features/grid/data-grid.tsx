/** Renders a table of any number of rows and columns; only visible ones are in the page. */
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, type FocusEvent, useCallback, useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import {
  ACTION_PX,
  type CellEditing,
  type ColumnActions,
  type GridColumn,
  type GridRows,
  type GridSelection,
  ROW_PX,
  type RowAction,
  SELECT_PX,
} from './grid-column.ts';
import { GridHeader } from './grid-header.tsx';
import { GridRow } from './grid-row.tsx';
import { type EditedCell, useEditedCell } from './use-edited-cell.ts';
import { usePlacedColumns } from './use-placed-columns.ts';
import { type RowFocus, useRowFocus } from './use-row-focus.ts';
import { useScrollAnchor } from './use-scroll-anchor.ts';

export interface DataGridProps<Row> {
  readonly label: string;
  readonly rows: GridRows<Row>;
  readonly columns: readonly GridColumn<Row>[];
  /**
   * Returns the target of a click on the row. Functions of a grid must be stable across renders.
   */
  rowPath(row: Row): string | undefined;
  /** The column whose cell is the row's link. */
  readonly linkColumn: string;
  /** The Delete key runs it too. */
  readonly deletion?: RowAction<Row>;
  readonly columnActions?: ColumnActions;
  readonly selection?: GridSelection;
  readonly editing?: CellEditing<Row>;
  /** Called with the rows and columns in the page. */
  readonly onVisible?: (from: number, to: number, columns: readonly string[]) => void;
}

/** Extra rows beyond the view, for fast scrolling. Each costs as much as one in view. */
const OVERSCAN = 5;

export function DataGrid<Row>(props: DataGridProps<Row>) {
  const { label, rows, columns, deletion, selection, editing, onVisible } = props;
  const { count, rowAt, rowId, indexOf } = rows;
  const scroller = useRef<HTMLDivElement>(null);
  const actionPx = deletion === undefined ? 0 : ACTION_PX;
  const selectPx = selection === undefined ? 0 : SELECT_PX;
  const { placed, pinned, pinnedPx, widthPx, areWide } = usePlacedColumns(
    columns,
    rows,
    scroller,
    actionPx + selectPx,
  );
  const [keptAt, keep] = useState(0);
  const rangeExtractor = useCallback(
    (range: Range) => including(range, Math.min(keptAt, range.count - 1)),
    [keptAt],
  );
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
    scrollMargin: ROW_PX,
    scrollPaddingStart: ROW_PX,
    rangeExtractor,
  });
  const select = useCallback(
    (at: number, toHere: boolean) => {
      const row = rowAt(at);
      if (row !== undefined) selection?.toggle(at, rowId(row), toHere);
    },
    [rowAt, rowId, selection],
  );
  const navigate = useNavigate();
  const open = useRef(navigate);
  open.current = navigate;
  const openPath = useCallback((path: string) => void open.current(path), []);
  const cells = useEditedCell(scroller, rows, editing);
  const focus = useRowFocus(scroller, rows, {
    page: () => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_PX) - 2),
    show: (at) => virtual.scrollToIndex(at),
    onDelete: deletion && ((row) => deletion.run(row)),
    onSelect: selection && ((_row, at) => select(at, false)),
    onEdit: editing && cells.onEdit,
  });
  useEffect(() => keep(focus.activeAt), [focus.activeAt]);
  const idAt = useCallback(
    (at: number) => {
      const row = rowAt(at);
      return row === undefined ? undefined : rowId(row);
    },
    [rowAt, rowId],
  );
  const remember = useScrollAnchor(scroller, idAt, indexOf, ROW_PX);
  const items = virtual.getVirtualItems();
  const from = virtual.range?.startIndex ?? 0;
  const to = virtual.range?.endIndex ?? 0;
  const visibleColumns = placed.map(({ column }) => column.id).join('\n');
  useEffect(() => onVisible?.(from, to, visibleColumns.split('\n')), [onVisible, from, to, visibleColumns]);

  return (
    // biome-ignore lint/a11y/useSemanticElements: rows are placed by themselves, which those of a table element cannot be
    <div
      ref={scroller}
      role="grid"
      aria-label={label}
      aria-rowcount={count + 1}
      aria-colcount={columns.length + (deletion === undefined ? 0 : 1)}
      aria-multiselectable={selection === undefined ? undefined : true}
      className="grid-scroller relative max-h-[max(14rem,calc(100dvh-15rem))] overflow-auto overscroll-x-contain rounded-lg border border-line bg-surface text-sm"
      style={
        { '--stays-left': `${pinnedPx + selectPx}px`, '--stays-right': `${actionPx}px` } as CSSProperties
      }
      onScroll={remember}
      onPointerOver={cells.onPointerOver}
      onPointerLeave={cells.onPointerLeave}
      onKeyDown={focus.onKeyDown}
      onBlur={(event: FocusEvent) => {
        if (event.relatedTarget !== null) focus.blurred();
      }}
    >
      <GridHeader
        {...{ placed, pinned, pinnedPx, widthPx, selection }}
        actions={props.columnActions}
        actionLabel={deletion && 'Actions'}
        columnCount={columns.length}
      />
      {/* biome-ignore lint/a11y/useSemanticElements: see above */}
      <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize(), width: widthPx }}>
        {items.map(({ index, start }) => (
          <RowAt
            key={idAt(index) ?? `at ${index}`}
            {...{
              props,
              at: index,
              topPx: start - ROW_PX,
              placed,
              pinned,
              pinnedPx,
              widthPx,
              areWide,
              focus,
              select,
              openPath,
              cells,
            }}
          />
        ))}
      </div>
    </div>
  );
}

interface RowAtProps<Row> {
  readonly props: DataGridProps<Row>;
  readonly at: number;
  readonly topPx: number;
  readonly placed: ReturnType<typeof usePlacedColumns<Row>>['placed'];
  readonly pinned: number;
  readonly pinnedPx: number;
  readonly widthPx: number;
  readonly areWide: boolean;
  readonly focus: RowFocus;
  readonly select: (at: number, toHere: boolean) => void;
  readonly openPath: (path: string) => void;
  readonly cells: EditedCell;
}

function RowAt<Row>({ props, at, focus, select, cells, ...place }: RowAtProps<Row>) {
  const row = props.rows.rowAt(at);
  const { edited, pointed } = cells;
  return (
    <GridRow
      {...place}
      row={row}
      at={at}
      isActive={at === focus.activeAt}
      path={row === undefined ? undefined : props.rowPath(row)}
      linkColumn={props.linkColumn}
      deletion={props.deletion}
      isSelected={
        props.selection && row !== undefined
          ? props.selection.isSelected(props.rows.rowId(row))
          : props.selection && false
      }
      onSelect={select}
      onFocus={focus.focused}
      editing={props.editing}
      pointedColumn={pointed?.at === at ? pointed.column : undefined}
      editedColumn={
        edited !== undefined && row !== undefined && props.rows.rowId(row) === edited.id
          ? edited.column
          : undefined
      }
      onEdit={cells.onEdit}
    />
  );
}

/** Returns the visible items, and one that always stays in the page. */
function including(range: Range, at: number): number[] {
  const visible = defaultRangeExtractor(range);
  return at < 0 || visible.includes(at) ? visible : [...visible, at].sort((a, b) => a - b);
}

/** Returns the grid rows of a list in memory. */
export function rowsOfList<Row>(list: readonly Row[], rowId: (row: Row) => string): GridRows<Row> {
  let places: Map<string, number> | undefined;
  return {
    count: list.length,
    rowAt: (at) => list[at],
    rowId,
    indexOf: (id) => {
      places ??= new Map(list.map((row, at) => [rowId(row), at]));
      return places.get(id);
    },
  };
}
