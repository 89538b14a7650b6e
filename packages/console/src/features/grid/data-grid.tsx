/** Renders a table of any number of rows and columns; only visible ones are in the page. */
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import {
  type CSSProperties,
  type FocusEvent,
  type RefObject,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useNavigate } from 'react-router';
import {
  ACTION_PX,
  type BlockActions,
  type CellEditing,
  type ColumnActions,
  type GridColumn,
  type GridRows,
  type GridSelection,
  HEAD_PX,
  type KeptPlace,
  LIST_ROW_PX,
  type PlacedColumn,
  ROW_PX,
  type RowAction,
  SELECT_PX,
} from './grid-column.ts';
import { GridHeader } from './grid-header.tsx';
import { GridRow } from './grid-row.tsx';
import { ListRow } from './list-row.tsx';
import { type BlockOfCells, useCellBlock } from './use-cell-block.ts';
import { type EditedCell, useEditedCell } from './use-edited-cell.ts';
import { useKeptPlace } from './use-kept-place.ts';
import { usePlacedColumns } from './use-placed-columns.ts';
import { type RowFocus, useRowFocus } from './use-row-focus.ts';
import { useScrollAnchor } from './use-scroll-anchor.ts';
import { useWholeClicks } from './use-whole-clicks.ts';

export interface DataGridProps<Row> {
  readonly label: string;
  readonly rows: GridRows<Row>;
  readonly columns: readonly GridColumn<Row>[];
  /**
   * Returns the target of a click on the row. Functions passed to a grid must be stable across
   * renders.
   */
  rowPath(row: Row): string | undefined;
  /** The column whose cell is the row's link. */
  readonly linkColumn: string;
  /** Deletes a row, by the button of the row or the Delete key. */
  readonly deletion?: RowAction<Row>;
  readonly columnActions?: ColumnActions;
  readonly selection?: GridSelection;
  readonly editing?: CellEditing<Row>;
  /** Copies, pastes and fills blocks of cells. */
  readonly blocks?: BlockActions;
  /** Keeps the scroll position and the focused cell. */
  readonly place?: KeptPlace | undefined;
  /** Height of a row; without one, the dense mode. */
  readonly rowPx?: number | undefined;
  /** Whether the table fills the height that its container leaves, without a frame of its own. */
  readonly fills?: boolean;
  /** Whether the rows are shown as a list without columns, for small screens. */
  readonly isList?: boolean;
  /** Called with the rows and columns in the page. */
  readonly onVisible?: (from: number, to: number, columns: readonly string[]) => void;
}

const FRAMED = 'max-h-[max(14rem,calc(100dvh-15rem))] border-line';
/** A list is as wide as the window of a phone. */
const frameOf = (isList: boolean) => `${FRAMED} ${isList ? 'border-y' : 'rounded-lg border'}`;
/** Extra rows beyond the view, for fast scrolling. Each costs as much as one in view. */
const OVERSCAN = 5;

export function DataGrid<Row>(props: DataGridProps<Row>) {
  const { label, rows, columns, deletion, selection, isList = false, fills = false } = props;
  const rowPx = isList ? LIST_ROW_PX : (props.rowPx ?? ROW_PX);
  const headPx = isList ? 0 : HEAD_PX;
  const scroller = useRef<HTMLDivElement>(null);
  const actionPx = deletion === undefined ? 0 : ACTION_PX;
  const selectPx = selection === undefined ? 0 : SELECT_PX;
  const columnCount = columns.length + (deletion === undefined ? 0 : 1) + (selection === undefined ? 0 : 1);
  const columnPlaces = usePlacedColumns(columns, rows, scroller, actionPx + selectPx);
  const { placed, pinned, pinnedPx, widthPx } = columnPlaces;
  const [keptAt, keep] = useState(0);
  const virtual = useVirtualRows(scroller, rows.count, { rowPx, headPx }, keptAt);
  const { cells, focus, select, clicks } = useGridParts(scroller, props, rowPx, (at) =>
    virtual.scrollToIndex(at),
  );
  const columnIds = useMemo(() => columns.map(({ id }) => id), [columns]);
  const block = useCellBlock(scroller, rows, columnIds, isList ? undefined : props.blocks);
  useEffect(() => keep(focus.activeAt), [focus.activeAt]);
  const openPath = useOpenPath();
  const idAt = useIdAt(rows);
  const remember = useScrollAnchor(scroller, idAt, rows.indexOf, rowPx);
  const keepPlace = useKeptPlace(scroller, props.place, focus.cell);
  const visible = isList ? columns.slice(0, LISTED).map(({ id }) => id) : idsOf(placed);
  useReportVisible(virtual.range, visible, props.onVisible);
  const shared = { ...columnPlaces, columnCount, props, focus, select, openPath, cells, rowPx, block };

  return (
    // biome-ignore lint/a11y/useSemanticElements: each row is positioned separately, which isn't possible in a table element
    <div
      ref={scroller}
      role="grid"
      aria-label={label}
      aria-rowcount={rows.count + 1}
      aria-colcount={columnCount}
      aria-multiselectable={selection === undefined ? undefined : true}
      className={`grid-scroller relative overflow-auto overscroll-x-contain bg-surface text-sm ${fills ? 'min-h-0 flex-1 border-t border-line print:max-h-[calc(100dvh-10rem)]' : frameOf(isList)}`}
      style={
        { '--stays-left': `${pinnedPx + selectPx}px`, '--stays-right': `${actionPx}px` } as CSSProperties
      }
      onScroll={() => {
        remember();
        keepPlace();
      }}
      onFocus={keepPlace}
      onPointerOver={cells.onPointerOver}
      onPointerLeave={cells.onPointerLeave}
      onKeyDown={(event) => block.onKeyDown(event) || focus.onKeyDown(event)}
      onMouseDownCapture={clicks.onMouseDown}
      onMouseDown={block.onMouseDown}
      onClickCapture={(event) => clicks.hasSlipped(event) || block.onClick(event)}
      onClick={block.clear}
      onBlur={(event: FocusEvent) => {
        if (event.relatedTarget !== null) focus.blurred();
      }}
    >
      {!isList && (
        <GridHeader
          {...{ placed, pinned, pinnedPx, widthPx, selection }}
          actions={props.columnActions}
          actionLabel={deletion && 'Actions'}
          columnCount={columnCount}
        />
      )}
      {/* biome-ignore lint/a11y/useSemanticElements: see above */}
      <div
        role="rowgroup"
        className="relative"
        style={{ height: virtual.getTotalSize(), width: isList ? '100%' : widthPx }}
      >
        {virtual.getVirtualItems().map(({ index, start }) => (
          <RowAt key={idAt(index) ?? `at ${index}`} {...shared} at={index} topPx={start - headPx} />
        ))}
      </div>
    </div>
  );
}

/** Virtualizes the rows. The row at `keptAt` stays in the page, since it may have the focus. */
function useVirtualRows(
  scroller: RefObject<HTMLDivElement | null>,
  count: number,
  { rowPx, headPx }: { readonly rowPx: number; readonly headPx: number },
  keptAt: number,
) {
  const rangeExtractor = useCallback(
    (range: Range) => including(range, Math.min(keptAt, range.count - 1)),
    [keptAt],
  );
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: OVERSCAN,
    scrollMargin: headPx,
    scrollPaddingStart: headPx,
    rangeExtractor,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: measures again when the height changes
  useEffect(() => virtual.measure(), [virtual, rowPx]);
  return virtual;
}

/** Returns the parts that keys and clicks control: edited cell, focused row, and selection. */
function useGridParts<Row>(
  scroller: RefObject<HTMLDivElement | null>,
  { rows, deletion, selection, editing, place }: DataGridProps<Row>,
  rowPx: number,
  show: (at: number) => void,
) {
  const { rowAt, rowId } = rows;
  const select = useCallback(
    (at: number, toHere: boolean) => {
      const row = rowAt(at);
      if (row !== undefined) selection?.toggle(at, rowId(row), toHere);
    },
    [rowAt, rowId, selection],
  );
  const cells = useEditedCell(scroller, rows, editing);
  const actions = {
    page: () => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowPx) - 2),
    show,
    onDelete: deletion && ((row: Row) => deletion.run(row)),
    onSelect: selection && ((_row: Row, at: number) => select(at, false)),
    onEdit: editing && cells.onEdit,
  };
  const focus = useRowFocus(scroller, rows, actions, place?.initial);
  return { cells, focus, select, clicks: useWholeClicks() };
}

/** Returns a stable function that opens a path. */
function useOpenPath(): (path: string) => void {
  const navigate = useNavigate();
  const open = useRef(navigate);
  open.current = navigate;
  return useCallback((path: string) => void open.current(path), []);
}

function useIdAt<Row>({ rowAt, rowId }: GridRows<Row>): (at: number) => string | undefined {
  return useCallback(
    (at: number) => {
      const row = rowAt(at);
      return row === undefined ? undefined : rowId(row);
    },
    [rowAt, rowId],
  );
}

function useReportVisible<Row>(
  range: { readonly startIndex: number; readonly endIndex: number } | null,
  columns: readonly string[],
  onVisible: DataGridProps<Row>['onVisible'],
): void {
  const { startIndex: from, endIndex: to } = range ?? { startIndex: 0, endIndex: 0 };
  const ids = columns.join('\n');
  useEffect(() => onVisible?.(from, to, ids.split('\n')), [onVisible, from, to, ids]);
}

/** Number of columns that the rows of a list may show. */
const LISTED = 8;

const idsOf = <Row,>(placed: readonly PlacedColumn<Row>[]): readonly string[] =>
  placed.map(({ column }) => column.id);

interface RowAtProps<Row> {
  readonly props: DataGridProps<Row>;
  readonly at: number;
  readonly topPx: number;
  readonly placed: ReturnType<typeof usePlacedColumns<Row>>['placed'];
  readonly pinned: number;
  readonly pinnedPx: number;
  readonly widthPx: number;
  readonly areWide: boolean;
  readonly columnCount: number;
  readonly rowPx: number;
  readonly focus: RowFocus;
  readonly select: (at: number, toHere: boolean) => void;
  readonly openPath: (path: string) => void;
  readonly cells: EditedCell;
  readonly block: BlockOfCells;
}

function RowAt<Row>({ props, at, focus, select, cells, block, placed, ...place }: RowAtProps<Row>) {
  const row = props.rows.rowAt(at);
  const { edited, pointed } = cells;
  const shared = {
    ...place,
    row,
    at,
    isActive: at === focus.activeAt,
    path: row === undefined ? undefined : props.rowPath(row),
    linkColumn: props.linkColumn,
    deletion: props.deletion,
    isSelected:
      props.selection && row !== undefined
        ? props.selection.isSelected(props.rows.rowId(row))
        : props.selection && false,
    onSelect: select,
    onFocus: focus.focused,
    editing: props.editing,
    onEdit: cells.onEdit,
  };
  if (props.isList === true) return <ListRow {...shared} columns={props.columns} />;
  return (
    <GridRow
      {...shared}
      placed={placed}
      blockColumns={isInBlock(block, at) ? block.columns : undefined}
      pointedColumn={pointed?.at === at ? pointed.column : undefined}
      editedColumn={
        edited !== undefined && row !== undefined && props.rows.rowId(row) === edited.id
          ? edited.column
          : undefined
      }
    />
  );
}

const isInBlock = ({ block }: BlockOfCells, at: number): boolean =>
  block !== undefined && at >= block.fromAt && at <= block.toAt;

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
