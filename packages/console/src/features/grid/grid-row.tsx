import { CloudUpload, Pencil } from 'lucide-react';
import { type MouseEvent, memo, type ReactElement, type ReactNode } from 'react';
import { Link } from 'react-router';
import {
  type CellEditing,
  type CellLook,
  type GridColumn,
  type PlacedColumn,
  type RowAction,
  SELECT_PX,
} from './grid-column.ts';
import { controlAt } from './use-whole-clicks.ts';

export interface GridRowProps<Row> {
  /** Undefined while the row loads. */
  readonly row: Row | undefined;
  readonly at: number;
  readonly topPx: number;
  readonly placed: readonly PlacedColumn<Row>[];
  readonly pinned: number;
  readonly pinnedPx: number;
  readonly widthPx: number;
  /**
   * Whether the row is wider than the view, so its ends are sticky. Each sticky part is a
   * compositor layer, so create none if nothing scrolls.
   */
  readonly areWide: boolean;
  /** Number of all columns, including those of checkboxes and actions. */
  readonly columnCount: number;
  readonly rowPx: number;
  readonly isActive: boolean;
  /** Undefined for rows without a target. */
  readonly path: string | undefined;
  readonly linkColumn: string;
  readonly deletion: RowAction<Row> | undefined;
  /** Undefined where rows can't be selected. */
  readonly isSelected: boolean | undefined;
  readonly onSelect: (at: number, toHere: boolean) => void;
  readonly onFocus: (at: number) => void;
  readonly openPath: (path: string) => void;
  readonly editing: CellEditing<Row> | undefined;
  /** The column of the editable cell under the pointer. */
  readonly pointedColumn: string | undefined;
  /** The column of the cell that is being edited. */
  readonly editedColumn: string | undefined;
  /** The selected columns, if the row is part of a selected block of cells. */
  readonly blockColumns: ReadonlySet<string> | undefined;
  /** Starts editing a cell; without a column, ends editing. */
  readonly onEdit: (at: number, column: string | undefined) => void;
}

function PlainGridRow<Row>(props: GridRowProps<Row>) {
  const { row, at, pinned, pinnedPx, path, deletion, isSelected } = props;
  const selectPx = isSelected === undefined ? 0 : SELECT_PX;
  const tone = isSelected === true ? 'bg-accent-soft' : 'bg-surface group-hover:bg-hover';
  return (
    // biome-ignore lint/a11y: a click anywhere in the row does what its link does
    <div
      role="row"
      aria-rowindex={at + 2}
      aria-selected={isSelected}
      data-row={at}
      className={`group absolute top-0 left-0 flex border-b border-line has-[:focus-visible]:z-[2] has-[:focus-visible]:bg-hover ${path === undefined ? '' : 'cursor-pointer'} ${isSelected === true ? 'bg-accent-soft' : 'hover:bg-hover'}`}
      style={{ transform: `translateY(${props.topPx}px)`, width: props.widthPx, height: props.rowPx }}
      onClick={(event) => openFrom(event, props)}
      onFocus={() => props.onFocus(at)}
    >
      <div
        role="none"
        className={`${props.areWide ? 'stays-left sticky left-0 z-[1]' : 'relative'} h-full shrink-0 ${tone} ${pinned > 0 ? 'border-r border-line' : ''}`}
        style={{ width: selectPx + pinnedPx }}
      >
        {isSelected !== undefined && (
          <SelectBox
            role="gridcell"
            label={row === undefined ? 'Select' : `Select ${labelOf(props)}`}
            checked={isSelected}
            tabIndex={-1}
            onSelect={(toHere) => props.onSelect(at, toHere)}
          />
        )}
        {cellsOf(props, 0, pinned, -selectPx)}
      </div>
      <div role="none" className="relative h-full grow">
        {cellsOf(props, pinned, Number.POSITIVE_INFINITY, pinnedPx)}
      </div>
      {deletion !== undefined && <ActionCell {...props} deletion={deletion} />}
    </div>
  );
}

/** Opens the row, or edits the tapped cell. Ignores clicks on links, buttons and selected text. */
export function openFrom<Row>(
  event: MouseEvent<HTMLElement>,
  props: Pick<GridRowProps<Row>, 'at' | 'path' | 'editing' | 'onEdit' | 'openPath'>,
): void {
  const { at, path, editing } = props;
  const { target, currentTarget } = event;
  const onPart = controlAt(target) !== null;
  // Events in a dialog that a cell opened bubble through React to this row.
  const isElsewhere = target instanceof Node && !currentTarget.contains(target);
  if (onPart || isElsewhere || event.defaultPrevented) return;
  const column = editing?.byTap === true ? columnAt(target) : undefined;
  if (column !== undefined) {
    if (editing?.canEdit(column) === true) props.onEdit(at, column);
    return;
  }
  if (path === undefined || window.getSelection()?.isCollapsed === false) return;
  props.openPath(path);
}

/** Renders the cells of a range of columns, placed relative to `startPx`. */
function cellsOf<Row>(props: GridRowProps<Row>, from: number, to: number, startPx: number): ReactNode {
  const { row, at, path, editing } = props;
  const firstNumber = props.isSelected === undefined ? 1 : 2;
  return props.placed
    .filter((one) => one.at >= from && one.at < to)
    .map(({ column, at: columnIndex, leftPx, widthPx }) => {
      const isLink = column.id === props.linkColumn && path !== undefined;
      const isEdited = column.id === props.editedColumn;
      return (
        <GridCell
          key={column.id}
          id={column.id}
          label={column.label}
          text={row === undefined ? undefined : column.text(row)}
          whole={isLink && row !== undefined ? column.whole?.(row) : undefined}
          look={row !== undefined && typeof column.look === 'function' ? column.look(row) : column.look}
          mark={isLink && row !== undefined ? column.mark?.(row) : undefined}
          editedRow={isEdited ? row : undefined}
          editing={isEdited ? editing : undefined}
          rowNumber={at}
          number={columnIndex + firstNumber}
          leftPx={leftPx - startPx}
          widthPx={widthPx}
          path={isLink ? path : undefined}
          isActive={isLink && props.isActive}
          isPointed={column.id === props.pointedColumn}
          isInBlock={props.blockColumns?.has(column.id) === true}
          onEdit={props.onEdit}
        />
      );
    });
}

const columnAt = (target: EventTarget): string | undefined =>
  target instanceof Element ? target.closest<HTMLElement>('[data-column]')?.dataset['column'] : undefined;

function labelOf<Row>({ row, placed, linkColumn }: GridRowProps<Row>): string {
  const column = placed.find(({ column: { id } }) => id === linkColumn)?.column;
  return row === undefined || column === undefined ? '' : (column.whole ?? column.text)(row);
}

interface GridCellProps<Row> {
  /** Id of the column. */
  readonly id: string;
  readonly label: string;
  /** Undefined while the row loads. */
  readonly text: string | undefined;
  readonly look: GridColumn<Row>['look'];
  readonly whole: string | undefined;
  readonly mark: string | undefined;
  /** Defined while this cell is edited. */
  readonly editedRow: Row | undefined;
  readonly editing: CellEditing<Row> | undefined;
  readonly rowNumber: number;
  readonly number: number;
  readonly leftPx: number;
  readonly widthPx: number;
  /** Defined only for the cell that is the row's link. */
  readonly path: string | undefined;
  readonly isActive: boolean;
  readonly isPointed: boolean;
  /** Whether the cell is part of a selected block. */
  readonly isInBlock: boolean;
  readonly onEdit: (at: number, column: string | undefined) => void;
}

/**
 * Receives its text instead of the row, so a reread row with the same text doesn't render again.
 * Many cells appear in one frame, so each cell has as few elements as possible.
 */
function PlainGridCell<Row>(props: GridCellProps<Row>) {
  const { id, text, look, editedRow, rowNumber, path, isPointed, editing, onEdit } = props;
  const isText = text !== undefined && path === undefined;
  const isEdited = editedRow !== undefined;
  return (
    // biome-ignore lint/a11y: a cell of a grid; the focus is in its link
    <div
      role="gridcell"
      aria-colindex={props.number}
      data-column={id}
      aria-selected={props.isInBlock || undefined}
      tabIndex={-1}
      dir={isText ? (JSON_START.test(text) && look !== 'plain' ? 'ltr' : 'auto') : undefined}
      title={isText && text.length > SHORT_CHARS ? text : undefined}
      className={`${isText && !isEdited ? TEXT_CELL : CELL} ${isText && typeof look === 'string' ? LOOK[look] : ''} ${props.isInBlock ? IN_BLOCK : ''}`}
      style={{ left: props.leftPx, width: props.widthPx }}
    >
      {text === undefined ? (
        <span className="h-2.5 w-3/5 max-w-40 rounded bg-hover" />
      ) : path !== undefined ? (
        <>
          <Link
            to={path}
            tabIndex={props.isActive ? 0 : -1}
            {...wholeText(text, props.whole)}
            className={`truncate hover:text-accent-ink hover:underline ${look === 'plain' ? 'font-medium' : 'font-mono text-xs tracking-tight text-ink-2'} ${WHOLE}`}
          >
            {text}
          </Link>
          <Mark text={props.mark} />
        </>
      ) : isEdited ? (
        <span className="truncate">{text}</span>
      ) : (
        text
      )}
      {isEdited
        ? editing?.editor(editedRow, id, () => onEdit(rowNumber, undefined))
        : isPointed && (
            <button
              type="button"
              tabIndex={-1}
              aria-label={`Edit ${props.label}`}
              title="Edit this cell (F2)"
              className="absolute inset-y-0 right-1 my-auto grid size-6 cursor-pointer place-items-center rounded-md border border-line bg-surface text-ink-3 shadow-1 hover:text-ink"
              onClick={() => onEdit(rowNumber, id)}
            >
              <Pencil size={13} aria-hidden />
            </button>
          )}
    </div>
  );
}

/** Returns the attributes that give a shortened text as a whole. */
const wholeText = (text: string, whole: string | undefined) =>
  whole === undefined || whole === text
    ? undefined
    : { 'aria-label': `${text}, ${whole}`, 'data-whole': whole };

/** The whole text appears above the row: on hover after a moment, on focus at once. */
const WHOLE =
  'data-whole:before:pointer-events-none data-whole:before:absolute data-whole:before:left-1.5 data-whole:before:z-[4] data-whole:before:rounded-md data-whole:before:bg-ink data-whole:before:px-2 data-whole:before:py-1 data-whole:before:whitespace-nowrap data-whole:before:text-surface data-whole:before:opacity-0 data-whole:before:content-[attr(data-whole)] data-whole:hover:before:opacity-100 data-whole:hover:before:delay-300 data-whole:focus-visible:before:opacity-100 data-whole:focus-visible:before:delay-0';

const GridCell = memo(PlainGridCell) as <Row>(props: GridCellProps<Row>) => ReactElement;

const CELL = 'absolute inset-y-0 flex items-center px-2.5';
const TEXT_CELL = 'absolute inset-y-0 truncate px-2.5 text-left content-center';
/** An inner border, too, because forced colours remove backgrounds. */
const IN_BLOCK = 'bg-accent-soft shadow-[inset_0_0_0_1px_var(--accent-line)] forced-colors:outline-1';
/** Longer texts may be truncated, so a tooltip shows them in full. */
const SHORT_CHARS = 24;

export function Mark({ text }: { text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <span role="img" aria-label={text} title={text} className="ml-1.5 shrink-0 text-ink-3">
      <CloudUpload size={13} aria-hidden />
    </span>
  );
}

/** Covers the last column only while the row is pointed at, since its button is shown only then. */
const OVER =
  'stays-right sticky right-0 group-hover:bg-hover group-has-[:focus-visible]:bg-hover pointer-coarse:bg-surface';

export function ActionCell<Row>(
  props: Pick<GridRowProps<Row>, 'row' | 'isActive' | 'areWide' | 'columnCount'> & {
    deletion: RowAction<Row>;
  },
) {
  const { row, deletion, isActive, areWide, columnCount } = props;
  return (
    // biome-ignore lint/a11y: a cell of a grid; the focus is in its button
    <div
      role="gridcell"
      aria-colindex={columnCount}
      className={`flex w-10 shrink-0 items-center justify-center ${areWide ? OVER : ''}`}
    >
      {row !== undefined && (
        <button
          type="button"
          tabIndex={isActive ? 0 : -1}
          aria-label={deletion.label(row)}
          title={deletion.label(row)}
          className="grid size-6 pointer-coarse:min-h-8 pointer-coarse:min-w-8 cursor-pointer place-items-center rounded text-ink-3 opacity-0 transition-opacity group-hover:opacity-100 group-has-[:focus-visible]:opacity-100 hover:bg-pressed hover:text-ink pointer-coarse:opacity-100 print:hidden"
          onClick={() => deletion.run(row)}
        >
          {deletion.icon}
        </button>
      )}
    </div>
  );
}

export function SelectBox(props: {
  role: 'gridcell' | 'columnheader';
  label: string;
  checked: boolean;
  mixed?: boolean;
  tabIndex?: number;
  onSelect: (toHere: boolean) => void;
}) {
  const { role, label, checked, mixed = false, tabIndex, onSelect } = props;
  return (
    // biome-ignore lint/a11y: a cell of a grid; the focus is in its box
    <div role={role} aria-colindex={1} className="absolute inset-y-0 left-0">
      <label className="grid h-full w-10 cursor-pointer place-items-center">
        <input
          type="checkbox"
          aria-label={label}
          checked={checked}
          ref={(box) => {
            if (box !== null) box.indeterminate = mixed;
          }}
          tabIndex={tabIndex}
          className="size-3.5 cursor-pointer accent-accent pointer-coarse:size-4"
          onChange={(event) =>
            onSelect((event.nativeEvent as unknown as { shiftKey?: boolean }).shiftKey === true)
          }
        />
      </label>
    </div>
  );
}

/** Matches JSON. Its first text may be Hebrew or Arabic, which would reverse its brackets. */
const JSON_START = /^[[{]/;

const LOOK: Readonly<Record<CellLook, string>> = {
  // Otherwise a comma between digits, as in 97,10, almost disappears.
  plain: 'tabular-nums',
  id: 'font-mono text-xs',
  muted: 'text-ink-3',
  number: 'tabular-nums text-right',
  code: 'text-ink-2',
};

export const GridRow = memo(PlainGridRow) as <Row>(props: GridRowProps<Row>) => ReactElement;
