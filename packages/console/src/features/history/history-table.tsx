import type { ChangeRow, Database } from 'fixpoint';
import { useCallback, useMemo } from 'react';
import { failureText } from '../../local/failure-text.ts';
import { EmptyState, ErrorPanel, Skeleton } from '../../ui/feedback.tsx';
import { cellText } from '../documents/cell-text.ts';
import { documentPath } from '../documents/document-path.ts';
import { DataGrid, rowsOfList } from '../grid/data-grid.tsx';
import type { GridColumn } from '../grid/grid-column.ts';
import { upTo, useGrowingLimit } from './use-growing-limit.ts';
import { useLoaded } from './use-loaded.ts';

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
  const { limit, seen } = useGrowingLimit();
  const { value, error } = useLoaded(
    database,
    useCallback(async () => upTo(limit, (await database.changes([], { limit })).rows), [database, limit]),
  );
  const newestFirst = useMemo(() => rowsOfList(value?.rows.toReversed() ?? [], idOf), [value]);
  const pathOf = useCallback(({ key }: ChangeRow) => documentPath(basePath, key), [basePath]);
  const { count } = newestFirst;
  const onVisible = useCallback((_from: number, to: number) => seen(to, count), [seen, count]);
  if (value === undefined)
    return error === undefined ? <Skeleton shape="rows" /> : <ErrorPanel message={failureText(error)} />;
  if (count === 0) return <EmptyState text="Nothing was written to this database yet." />;
  const documents = count === 1 ? '1 document' : `${count.toLocaleString('en')} documents`;
  return (
    <section aria-label="History" className="flex flex-col gap-3">
      {error !== undefined && <ErrorPanel message={failureText(error)} />}
      <p className="text-sm text-muted" role="status">
        {value.isAll ? documents : `${documents} and more`}, each at its latest change, the newest first
      </p>
      <DataGrid
        label="Changes"
        rows={newestFirst}
        columns={COLUMNS}
        rowPath={pathOf}
        linkColumn="key"
        onVisible={onVisible}
      />
    </section>
  );
}
