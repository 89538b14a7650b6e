import { type MouseEvent, memo, type ReactElement } from 'react';
import { Link, useNavigate } from 'react-router';
import type { GridColumn, RowAction } from './data-grid.tsx';

export interface PlacedColumn<Row> {
  readonly column: GridColumn<Row>;
  readonly at: number;
  readonly leftPx: number;
  readonly widthPx: number;
}

const CELL = 'absolute inset-y-0 flex items-center px-3';
const ACTION_CELL = 'sticky right-0 ml-auto flex w-12 shrink-0 items-center justify-center';

export function GridHeader<Row>({
  placed,
  widthPx,
  actionLabel,
  columnCount,
}: {
  placed: readonly PlacedColumn<Row>[];
  widthPx: number;
  actionLabel: string | undefined;
  columnCount: number;
}) {
  return (
    // biome-ignore lint/a11y: rows of a grid; the focus is in its links
    <div role="rowgroup" className="sticky top-0 z-10" style={{ width: widthPx }}>
      {/* biome-ignore lint/a11y: as above */}
      <div
        role="row"
        aria-rowindex={1}
        className="relative flex h-10 border-b border-line bg-raised font-medium"
      >
        {placed.map(({ column, at, leftPx, widthPx: width }) => (
          // biome-ignore lint/a11y: as above
          <div
            key={column.id}
            role="columnheader"
            aria-colindex={at + 1}
            title={column.label}
            className={CELL}
            style={{ left: leftPx, width }}
          >
            <span className="truncate">{column.label}</span>
          </div>
        ))}
        {actionLabel !== undefined && (
          // biome-ignore lint/a11y: as above
          <div role="columnheader" aria-colindex={columnCount + 1} className={`${ACTION_CELL} bg-raised`}>
            <span className="sr-only">{actionLabel}</span>
          </div>
        )}
      </div>
    </div>
  );
}

interface GridRowProps<Row> {
  readonly row: Row;
  readonly at: number;
  readonly topPx: number;
  readonly placed: readonly PlacedColumn<Row>[];
  readonly widthPx: number;
  readonly isActive: boolean;
  readonly path: string;
  readonly linkColumn: string;
  readonly deletion: RowAction<Row> | undefined;
  readonly onFocus: (at: number) => void;
}

function PlainGridRow<Row>(props: GridRowProps<Row>) {
  const { row, at, topPx, placed, widthPx, isActive, path, deletion } = props;
  const navigate = useNavigate();
  const tabIndex = isActive ? 0 : -1;
  const open = (event: MouseEvent<HTMLElement>) => {
    const onPart = event.target instanceof Element && event.target.closest('a, button') !== null;
    if (onPart || event.defaultPrevented || window.getSelection()?.isCollapsed === false) return;
    void navigate(path);
  };
  return (
    // biome-ignore lint/a11y: a click anywhere in the row does what its link does
    <div
      role="row"
      aria-rowindex={at + 2}
      data-row={at}
      className="group absolute top-0 left-0 flex h-10 cursor-pointer border-b border-line hover:bg-raised has-[:focus-visible]:bg-raised"
      style={{ transform: `translateY(${topPx}px)`, width: widthPx }}
      onClick={open}
      onFocus={() => props.onFocus(at)}
    >
      {placed.map(({ column, at: columnAt, leftPx, widthPx: width }) => (
        // biome-ignore lint/a11y: as above
        <div
          key={column.id}
          role="gridcell"
          aria-colindex={columnAt + 1}
          className={CELL}
          style={{ left: leftPx, width }}
        >
          {column.id === props.linkColumn ? (
            <Link
              to={path}
              tabIndex={tabIndex}
              className="truncate font-mono text-xs text-accent hover:underline"
            >
              {column.text(row)}
            </Link>
          ) : (
            <span dir="auto" className={`truncate ${LOOK[column.look ?? 'plain']}`}>
              {column.text(row)}
            </span>
          )}
        </div>
      ))}
      {deletion !== undefined && (
        // biome-ignore lint/a11y: as above
        <div role="gridcell" className={`${ACTION_CELL} bg-surface group-hover:bg-raised`}>
          <button
            type="button"
            tabIndex={tabIndex}
            aria-label={deletion.label(row)}
            title={deletion.label(row)}
            className="grid size-8 cursor-pointer place-items-center rounded-md text-muted hover:bg-danger-soft hover:text-danger"
            onClick={() => deletion.run(row)}
          >
            {deletion.icon}
          </button>
        </div>
      )}
    </div>
  );
}

const LOOK = { plain: '', id: 'font-mono text-xs', muted: 'text-muted' };

export const GridRow = memo(PlainGridRow) as <Row>(props: GridRowProps<Row>) => ReactElement;
