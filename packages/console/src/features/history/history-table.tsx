import { useChanges } from '@fixpoint/react';
import type { ChangeRow, Database } from 'fixpoint';
import { useCallback, useMemo } from 'react';
import { failureText } from '../../local/failure-text.ts';
import { EmptyState, ErrorPanel, Skeleton } from '../../ui/feedback.tsx';
import { cellText } from '../documents/cell-text.ts';
import { documentPath } from '../documents/document-path.ts';
import { DataGrid, rowsOfList } from '../grid/data-grid.tsx';
import type { GridColumn } from '../grid/grid-column.ts';

const idOf = (row: ChangeRow): string => row.key;
const EVENT_CHARS = 12;

const COLUMNS: readonly GridColumn<ChangeRow>[] = [
  { id: 'key', label: 'document id', text: idOf },
  {
    id: 'change',
    label: 'change',
    text: ({ value }) => (value['_deleted'] === true ? 'deleted' : 'written'),
  },
  { id: 'value', label: 'content now', text: contentOf },
  { id: 'clock', label: 'event', text: ({ clock }) => `…${clock.slice(-EVENT_CHARS)}`, look: 'id' },
];

function contentOf({ value }: ChangeRow): string {
  const { _id: _, _deleted: deleted, ...fields } = value as Record<string, unknown>;
  return deleted === true ? '' : cellText(fields);
}

/** The changes of a database, the newest first, live. A document stands at its latest change. */
export function HistoryTable({ database, basePath }: { database: Database; basePath: string }) {
  const { rows, hydrated, error } = useChanges(database);
  const newestFirst = useMemo(() => rowsOfList(rows.toReversed(), idOf), [rows]);
  const pathOf = useCallback(({ key }: ChangeRow) => documentPath(basePath, key), [basePath]);
  if (error !== undefined) return <ErrorPanel message={failureText(error)} />;
  if (!hydrated) return <Skeleton />;
  if (rows.length === 0) return <EmptyState text="Nothing was written to this database yet." />;
  return (
    <section aria-label="History" className="flex flex-col gap-3">
      <p className="text-sm text-muted" role="status">
        {rows.length === 1 ? '1 document' : `${rows.length.toLocaleString('en')} documents`}, each at its
        latest change, the newest first
      </p>
      <DataGrid label="Changes" rows={newestFirst} columns={COLUMNS} rowPath={pathOf} linkColumn="key" />
    </section>
  );
}
