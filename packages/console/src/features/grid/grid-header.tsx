import { ArrowDown, ArrowUp, ChevronDown } from 'lucide-react';
import { type KeyboardEvent, memo, type PointerEvent, type ReactElement, useRef, useState } from 'react';
import {
  createSharedMenu,
  type SharedMenu,
  SharedMenuItems,
  SharedMenuTrigger,
} from '../../ui/overlays/menu.tsx';
import { boundedWidth } from './column-widths.ts';
import {
  type ColumnActions,
  type GridColumn,
  type GridSelection,
  type PlacedColumn,
  SELECT_PX,
} from './grid-column.ts';
import { SelectBox } from './grid-row.tsx';

export interface GridHeaderProps<Row> {
  readonly placed: readonly PlacedColumn<Row>[];
  readonly pinned: number;
  readonly pinnedPx: number;
  readonly widthPx: number;
  readonly actionLabel: string | undefined;
  /** Number of all columns, including those of checkboxes and actions. */
  readonly columnCount: number;
  readonly actions: ColumnActions | undefined;
  readonly selection: GridSelection | undefined;
}

function PlainGridHeader<Row>(props: GridHeaderProps<Row>) {
  const { placed, pinned, pinnedPx, widthPx, actionLabel, columnCount, selection } = props;
  const selectPx = selection === undefined ? 0 : SELECT_PX;
  const [menu] = useState(createSharedMenu);
  const cells = (from: number, to: number, leftPx: number) =>
    placed
      .filter(({ at }) => at >= from && at < to)
      .map((one) => (
        <HeadCell
          key={one.column.id}
          column={one.column}
          isFirst={one.at === 0}
          leftPx={one.leftPx - leftPx}
          widthPx={one.widthPx}
          number={one.at + (selection === undefined ? 1 : 2)}
          actions={props.actions}
          menu={menu}
        />
      ));
  return (
    // biome-ignore lint/a11y: rows of a grid; the focus is in its buttons
    <div role="rowgroup" className="sticky top-0 z-10" style={{ width: widthPx }}>
      {/* biome-ignore lint/a11y: as above */}
      <div
        role="row"
        aria-rowindex={1}
        className="relative flex h-7 border-b border-line bg-sunken text-xs font-medium text-ink-2"
        onKeyDown={moveBetweenHeadings}
      >
        <div
          role="none"
          className={`stays-left sticky left-0 z-[3] h-full shrink-0 bg-sunken ${pinned > 0 ? 'border-r border-line' : ''}`}
          style={{ width: selectPx + pinnedPx }}
        >
          {selection !== undefined && (
            <SelectBox
              role="columnheader"
              label="Select all rows"
              checked={selection.all === 'all'}
              mixed={selection.all === 'some'}
              onSelect={() => selection.toggleAll()}
            />
          )}
          {cells(0, pinned, -selectPx)}
        </div>
        <div role="none" className="relative h-full grow">
          {cells(pinned, Number.POSITIVE_INFINITY, pinnedPx)}
        </div>
        {actionLabel !== undefined && (
          // biome-ignore lint/a11y: as above
          <div role="columnheader" aria-colindex={columnCount} className="sticky right-0 z-[3] w-10 shrink-0">
            <span className="sr-only">{actionLabel}</span>
          </div>
        )}
      </div>
      {props.actions !== undefined && <SharedMenuItems menu={menu} items={props.actions.menu} />}
    </div>
  );
}

/**
 * Renders the headings. Only buttons of the first heading are tab stops; left and right move to the
 * others. Memoized, because headings have many parts and needn't render while rows scroll.
 */
export const GridHeader = memo(PlainGridHeader) as <Row>(props: GridHeaderProps<Row>) => ReactElement;

interface HeadCellProps<Row> {
  readonly column: GridColumn<Row>;
  readonly isFirst: boolean;
  readonly leftPx: number;
  readonly widthPx: number;
  readonly number: number;
  readonly actions: ColumnActions | undefined;
  readonly menu: SharedMenu;
}

function PlainHeadCell<Row>(props: HeadCellProps<Row>) {
  const { column, isFirst, leftPx, widthPx, number, actions, menu } = props;
  const { id, label, sorted } = column;
  const [isTarget, setTarget] = useState(false);
  const tabIndex = isFirst ? 0 : -1;
  const sort = actions?.sort;
  return (
    // biome-ignore lint/a11y: a heading of a grid; the focus is in its buttons
    <div
      role="columnheader"
      aria-colindex={number}
      aria-label={label}
      aria-sort={sorted ?? (sort === undefined ? undefined : 'none')}
      title={label}
      className={`group/head absolute inset-y-0 flex items-center ${isTarget ? 'bg-accent-soft' : ''}`}
      style={{ left: leftPx, width: widthPx }}
      draggable={actions !== undefined}
      onDragStart={(event) => event.dataTransfer.setData(DRAGGED, id)}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes(DRAGGED)) return;
        event.preventDefault();
        setTarget(true);
      }}
      onDragLeave={() => setTarget(false)}
      onDrop={(event) => {
        setTarget(false);
        if (!event.dataTransfer.types.includes(DRAGGED)) return;
        const moved = event.dataTransfer.getData(DRAGGED);
        if (moved !== id) actions?.move(moved, id);
      }}
    >
      {sort === undefined ? (
        <span
          className="grow truncate px-2.5 data-numeric:text-right"
          data-numeric={column.isNumeric === true ? '' : undefined}
        >
          {label}
        </span>
      ) : (
        <button
          type="button"
          tabIndex={tabIndex}
          className="flex h-full min-w-0 grow cursor-pointer items-center gap-1 px-2.5 text-left -outline-offset-2 data-numeric:justify-end pointer-coarse:pr-7"
          data-numeric={column.isNumeric === true ? '' : undefined}
          onClick={() => sort(id)}
        >
          {column.icon}
          <span className="truncate">{label}</span>
          {sorted === 'ascending' && <ArrowUp size={13} aria-hidden className="shrink-0 text-accent-ink" />}
          {sorted === 'descending' && (
            <ArrowDown size={13} aria-hidden className="shrink-0 text-accent-ink" />
          )}
        </button>
      )}
      {actions !== undefined && (
        <>
          <SharedMenuTrigger
            menu={menu}
            about={id}
            trigger={
              <button
                type="button"
                tabIndex={tabIndex}
                aria-label={`Column ${label}`}
                className="absolute right-0.5 grid size-6 cursor-pointer place-items-center rounded bg-sunken text-ink-3 opacity-0 group-hover/head:opacity-100 hover:bg-surface focus-visible:opacity-100 aria-expanded:opacity-100 pointer-coarse:opacity-100"
              >
                <ChevronDown size={14} aria-hidden />
              </button>
            }
          />
          <Resizer widthPx={widthPx} onResize={(px) => actions.resize(id, px)} />
        </>
      )}
    </div>
  );
}

const HeadCell = memo(PlainHeadCell) as <Row>(props: HeadCellProps<Row>) => ReactElement;

const DRAGGED = 'application/x-fixpoint-column';

/** Renders a drag handle at a heading's right edge. Keyboard users set the width in the menu. */
function Resizer({ widthPx, onResize }: { widthPx: number; onResize: (px: number | undefined) => void }) {
  const begun = useRef<{ readonly x: number; readonly px: number } | undefined>(undefined);
  const move = (event: PointerEvent) => {
    if (begun.current !== undefined)
      onResize(boundedWidth(begun.current.px + event.clientX - begun.current.x));
  };
  return (
    <div
      aria-hidden
      data-resizer
      className="absolute inset-y-0 right-0 z-[2] w-2 cursor-col-resize touch-none after:absolute after:inset-y-0 after:right-0 after:w-px after:bg-line hover:after:w-0.5 hover:after:bg-accent"
      draggable
      onDragStart={(event) => {
        event.preventDefault();
        event.stopPropagation();
      }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        begun.current = { x: event.clientX, px: widthPx };
      }}
      onPointerMove={move}
      onPointerUp={() => {
        begun.current = undefined;
      }}
      onDoubleClick={() => onResize(undefined)}
    />
  );
}

function moveBetweenHeadings(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step === undefined || !(event.target instanceof HTMLButtonElement)) return;
  const buttons = [...event.currentTarget.querySelectorAll<HTMLButtonElement>('[role=columnheader] button')];
  const next = buttons[buttons.indexOf(event.target) + step];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}
