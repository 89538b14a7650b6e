import type { BridgedDatabase } from 'fixpoint/bridge';
import type { Cell } from 'fixpoint/rows';
import { Trash2 } from 'lucide-react';
import { memo, useCallback, useMemo } from 'react';
import { useCanWrite } from '../../../local/can-write.ts';
import { documentPath } from '../../../local/document-path.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/pages/feedback.tsx';
import { useIsNarrow } from '../../../ui/use-is-narrow.ts';
import { columnLabel } from '../../../values/field-label.ts';
import { shortId, shownId } from '../../../values/shown-id.ts';
import { lookOf, textOfCell } from '../../grid/cell-look.ts';
import { KindIcon, sampleOf } from '../../grid/column-sample.tsx';
import { DataGrid } from '../../grid/data-grid.tsx';
import type {
  CellEditing,
  ColumnActions,
  GridColumn,
  GridRows,
  KeptPlace,
  RowAction,
} from '../../grid/grid-column.ts';
import { useBlockActions } from '../cells/use-block-actions.tsx';
import { isFieldFree } from '../values/field-value.ts';
import { CellEditor } from './cell-editor.tsx';
import { ColumnMenu } from './column-menu.tsx';
import { columnsToRead } from './columns.ts';
import type { LiveRows, TableRow } from './live-rows.ts';
import { withMoved, withWidth } from './table-layout.ts';
import { type ChangeSearch, sortedBy, type TableSearch } from './table-search.ts';
import { type CellWrites, useCellWrites } from './use-cell-writes.ts';
import { oneId, useDeleteDocuments } from './use-delete-documents.ts';
import type { Selection } from './use-selection.ts';
import type { TableColumns } from './use-table-columns.ts';

/** A tap on a cell opens its document, edits the cell, or selects it. */
export type TapMode = 'open' | 'edit' | 'select';

export interface DocumentsGridProps {
  readonly database: BridgedDatabase;
  readonly basePath: string;
  readonly live: LiveRows;
  readonly count: number;
  /** Changes whenever a row changes. */
  readonly version: number;
  readonly tapMode: TapMode;
  /** Height of a row; undefined for the dense mode. */
  readonly rowPx: number | undefined;
  readonly columns: TableColumns;
  readonly selection: Selection;
  readonly search: TableSearch;
  readonly changeSearch: ChangeSearch;
  readonly place: KeptPlace;
}

const idOf = (row: TableRow): string => row.id;
const shownIdOf = (row: TableRow): string => shortId(row.id);
const wholeIdOf = (row: TableRow): string => shownId(row.id);
const markOf = ({ isUnsent }: TableRow) => (isUnsent ? 'Not sent yet: only on this device' : undefined);

/**
 * Renders the rows of the documents table. Memoized, so that it renders again only when rows
 * change, not at each step of a search.
 */
export const DocumentsGrid = memo(function DocumentsGrid(props: DocumentsGridProps) {
  const {
    database,
    basePath,
    live,
    count,
    version,
    columns,
    selection,
    search,
    changeSearch,
    tapMode,
    rowPx,
    place,
  } = props;
  const isNarrow = useIsNarrow();
  const canWrite = useCanWrite();
  const pathOf = useCallback((row: TableRow) => documentPath(basePath, row.id), [basePath]);
  const deletion = useDeletion(database);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each version means that rows changed
  const rows = useMemo(
    (): GridRows<TableRow> => ({
      count,
      rowAt: live.rowAt,
      rowId: idOf,
      indexOf: (id) => live.indexOf(id),
    }),
    [live, count, version],
  );
  const writes = useCellWrites(database, version);
  const { write, read, hasConflict, cellOf } = writes;
  const blocks = useBlockActions({
    database,
    live,
    columns: columns.shown,
    selection,
    cellOf,
    canWrite,
    selectsByTap: tapMode === 'select',
  });
  const editing = useMemo(
    (): CellEditing<TableRow> => ({
      canEdit: isFieldFree,
      byTap: tapMode === 'edit',
      editor: ({ id }, field, onClose) => (
        <CellEditor {...{ id, field, write, read, hasConflict, onClose }} path={documentPath(basePath, id)} />
      ),
    }),
    [write, read, hasConflict, basePath, tapMode],
  );
  const shown = useGridColumns(columns, search, writes, live);
  const onVisible = useCallback(
    (from: number, to: number, visible: readonly string[]) =>
      live.show(from, to, columnsToRead(columns.shown, visible)),
    [live, columns.shown],
  );
  const actions = useColumnActions(columns, changeSearch);
  if (count === 0) return <NoMatch changeSearch={changeSearch} />;
  return (
    <>
      <DataGrid
        label="Documents"
        rows={rows}
        columns={shown}
        rowPath={pathOf}
        linkColumn="_id"
        columnActions={actions}
        selection={selection}
        onVisible={onVisible}
        rowPx={rowPx}
        fills
        isList={isNarrow && tapMode === 'open'}
        blocks={blocks.actions}
        place={place}
        {...(canWrite && { deletion, editing })}
      />
      {blocks.parts}
    </>
  );
});

function NoMatch({ changeSearch }: Pick<DocumentsGridProps, 'changeSearch'>) {
  return (
    <div className="flex-1 border-t border-line p-4">
      <EmptyState text="No documents match. Change the search or the conditions to see more.">
        <Button onClick={() => changeSearch((now) => ({ ...now, conditions: [], text: '' }))}>
          Show all documents
        </Button>
      </EmptyState>
    </div>
  );
}

/** Returns the button that deletes the document of a row. */
function useDeletion(database: BridgedDatabase): RowAction<TableRow> {
  const deleting = useDeleteDocuments(database);
  return useMemo(
    () => ({
      label: (row: TableRow) => `Delete ${shownId(row.id)}`,
      icon: <Trash2 size={15} aria-hidden />,
      run: (row: TableRow) => void deleting.run(oneId(row.id), 1),
    }),
    [deleting.run],
  );
}

function useGridColumns(
  { shown, layout }: TableColumns,
  { sort, descending }: TableSearch,
  { cellOf }: CellWrites,
  live: LiveRows,
): readonly GridColumn<TableRow>[] {
  return useMemo(
    () =>
      shown.map((field): GridColumn<TableRow> => {
        const isSorted = sort === field || (sort === undefined && field === '_id');
        const { kind, hasLarge } = sampleOf(firstCells(live, (row) => cellOf(row, field)));
        return {
          id: field,
          label: columnLabel(field),
          text: field === '_id' ? shownIdOf : (row) => textOfCell(field, cellOf(row, field), hasLarge),
          isNumeric: field !== '_id' && kind === 'number',
          icon: field === '_id' ? undefined : <KindIcon kind={kind} />,
          look: field === '_id' ? 'id' : (row) => lookOf(cellOf(row, field)),
          ...(field === '_id' && { mark: markOf, whole: wholeIdOf }),
          pinned: layout.pinned.includes(field),
          widthPx: layout.widths.get(field),
          sorted: isSorted ? (descending ? 'descending' : 'ascending') : undefined,
        };
      }),
    [shown, layout, sort, descending, cellOf, live],
  );
}

const SAMPLE_ROWS = 20;

const firstCells = (
  live: LiveRows,
  cellOf: (row: TableRow) => Cell | undefined,
): readonly (Cell | undefined)[] =>
  Array.from({ length: SAMPLE_ROWS }, (_, at) => {
    const row = live.rowAt(at);
    return row === undefined ? undefined : cellOf(row);
  });

function useColumnActions(columns: TableColumns, changeSearch: ChangeSearch): ColumnActions {
  return useMemo(
    () => ({
      sort: (field) => changeSearch((now) => sortedBy(now, field)),
      resize: (field, widthPx) => columns.change((layout) => withWidth(layout, field, widthPx)),
      move: (field, onto) => columns.change((layout, fields) => withMoved(layout, fields, field, onto)),
      menu: (field) => <ColumnMenu {...{ field, columns, changeSearch }} />,
    }),
    [columns, changeSearch],
  );
}
