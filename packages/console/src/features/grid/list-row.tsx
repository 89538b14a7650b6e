import { Fragment, memo, type ReactElement } from 'react';
import { Link } from 'react-router';
import type { CellLook, GridColumn } from './grid-column.ts';
import { ActionCell, type GridRowProps, Mark, openFrom, SelectBox } from './grid-row.tsx';

/** Number of fields below the title. */
const DETAILS = 4;

export interface ListRowProps<Row>
  extends Omit<
    GridRowProps<Row>,
    | 'placed'
    | 'pinned'
    | 'pinnedPx'
    | 'widthPx'
    | 'areWide'
    | 'columnCount'
    | 'pointedColumn'
    | 'editedColumn'
    | 'blockColumns'
  > {
  readonly columns: readonly GridColumn<Row>[];
}

/**
 * Renders a row of a small screen: the first text field as the title, the next fields below it, and
 * at the right the sorted field and the id. A link that doesn't look like an id is the title
 * itself.
 */
function PlainListRow<Row>(props: ListRowProps<Row>) {
  const { row, at, path, isSelected, isActive, deletion, linkColumn, columns } = props;
  const link = columns.find(({ id }) => id === linkColumn);
  const { title, details, value, id } = partsOf(props);
  return (
    // biome-ignore lint/a11y: a click anywhere in the row does what its link does
    <div
      role="row"
      aria-rowindex={at + 1}
      aria-selected={isSelected}
      data-row={at}
      className={`group absolute top-0 left-0 flex w-full cursor-pointer items-center border-b border-line has-[:focus-visible]:bg-hover ${isSelected === true ? 'bg-accent-soft' : ''}`}
      style={{ transform: `translateY(${props.topPx}px)`, height: props.rowPx }}
      onClick={(event) => openFrom(event, props)}
      onFocus={() => props.onFocus(at)}
    >
      {isSelected !== undefined && (
        <SelectBox
          role="gridcell"
          label={row === undefined ? 'Select' : `Select ${(link?.whole ?? link?.text)?.(row)}`}
          checked={isSelected}
          tabIndex={-1}
          onSelect={(toHere) => props.onSelect(at, toHere)}
        />
      )}
      {/* biome-ignore lint/a11y: a cell of a grid; the focus is in its link */}
      <div
        role="gridcell"
        aria-colindex={2}
        className={`min-w-0 flex-1 ${isSelected === undefined ? 'pl-4' : 'pl-12'}`}
      >
        {row === undefined || path === undefined ? (
          <span className="block h-2.5 w-3/5 rounded bg-hover" />
        ) : (
          <>
            <span className="flex min-w-0 items-center text-base">
              <Link to={path} tabIndex={isActive ? 0 : -1} className="truncate" dir="auto">
                {title}
              </Link>
              <Mark text={link?.mark?.(row)} />
            </span>
            <span className="block truncate text-xs text-ink-3">
              {details.map(({ column, text }, index) => (
                <Fragment key={column.id}>
                  {index > 0 && ' · '}
                  <bdi>{text}</bdi>
                </Fragment>
              ))}
            </span>
          </>
        )}
      </div>
      {/* biome-ignore lint/a11y: a cell of a grid; the focus is in its link */}
      <div role="gridcell" aria-colindex={3} className="max-w-[45%] shrink-0 pl-3 text-right">
        <span className="block truncate text-ink-2 tabular-nums">{value}</span>
        <span className="block truncate font-mono text-xs tracking-tight text-ink-3">{id}</span>
      </div>
      {deletion === undefined ? (
        <span className="w-4 shrink-0" />
      ) : (
        <ActionCell {...{ row, isActive, deletion }} columnCount={4} areWide={false} />
      )}
    </div>
  );
}

export const ListRow = memo(PlainListRow) as <Row>(props: ListRowProps<Row>) => ReactElement;

function partsOf<Row>({ row, columns, linkColumn }: ListRowProps<Row>) {
  if (row === undefined) return { title: '', details: [], value: '', id: '' };
  const link = columns.find(({ id }) => id === linkColumn);
  const linkText = link?.text(row) ?? '';
  const isNamed = link?.look === 'plain';
  const fields = columns
    .filter(({ id }) => id !== linkColumn)
    .map((column) => ({ column, text: column.text(row), look: lookIn(column, row) }))
    .filter(({ text }) => text !== '');
  const first = isNamed ? undefined : (fields.find(({ look }) => look === 'plain') ?? fields[0]);
  const sorted = fields.find(({ column }) => column.sorted !== undefined && column !== first?.column);
  const details = fields.filter((one) => one !== first && one !== sorted).slice(0, DETAILS);
  return {
    title: first?.text ?? linkText,
    details,
    value: sorted?.text ?? '',
    id: isNamed ? '' : linkText,
  };
}

const lookIn = <Row,>({ look }: GridColumn<Row>, row: Row): CellLook =>
  (typeof look === 'function' ? look(row) : look) ?? 'plain';
