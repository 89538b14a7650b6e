import type { ChangeRow, Database } from 'fixpoint';
import { useCallback, useMemo } from 'react';
import { documentPath } from '../../local/document-path.ts';
import { EmptyState, ErrorPanel, Skeleton } from '../../ui/pages/feedback.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import { cellText } from '../../values/cell-text.ts';
import { shownId } from '../../values/shown-id.ts';
import { DataGrid, rowsOfList } from '../grid/data-grid.tsx';
import type { GridColumn } from '../grid/grid-column.ts';
import { unsentEvents } from './commits/unsent-events.ts';
import { upTo, useGrowingLimit } from './use-growing-limit.ts';
import { useLoaded } from './use-loaded.ts';

interface ShownChange extends ChangeRow {
  readonly isUnsent: boolean;
}

const idOf = (row: ShownChange): string => row.key;
const markOf = ({ isUnsent }: ShownChange) => (isUnsent ? 'Not sent yet: only on this device' : undefined);
const NONE: ReadonlySet<string> = new Set();
const EVENT_CHARS = 12;

const COLUMNS: readonly GridColumn<ShownChange>[] = [
  { id: 'key', label: 'document id', text: ({ key }) => shownId(key), mark: markOf },
  {
    id: 'change',
    label: 'change',
    text: ({ value }) => (value['_deleted'] === true ? 'deleted' : 'written'),
  },
  { id: 'value', label: 'current content', text: contentOf, look: 'code' },
  { id: 'clock', label: 'event', text: ({ clock }) => `…${clock.slice(-EVENT_CHARS)}`, look: 'id' },
];

function contentOf({ value }: ShownChange): string {
  const { _id: _, _deleted: deleted, ...fields } = value as Record<string, unknown>;
  return deleted === true ? '' : cellText(fields);
}

export interface HistoryTableProps {
  readonly database: Database;
  readonly basePath: string;
  /**
   * How many changes wait to be sent to a ledger; these changes are marked. Undefined without a
   * ledger.
   */
  readonly toSend: number | undefined;
}

/**
 * Lists a database's changes, newest first, live. Each document is listed once, with its latest
 * change.
 */
export function HistoryTable({ database, basePath, toSend }: HistoryTableProps) {
  const { limit, seen } = useGrowingLimit();
  const { value, error } = useLoaded(
    database,
    useCallback(
      async (signal) => {
        const { rows } = await database.changes([], { limit });
        const unsent = (toSend ?? 0) > 0 ? await unsentEvents(database, signal) : NONE;
        return upTo(
          limit,
          rows.map((row) => ({ ...row, isUnsent: unsent.has(row.clock) })),
        );
      },
      [database, limit, toSend],
    ),
  );
  const newestFirst = useMemo(() => rowsOfList(value?.rows.toReversed() ?? [], idOf), [value]);
  const pathOf = useCallback(({ key }: ShownChange) => documentPath(basePath, key), [basePath]);
  const { count } = newestFirst;
  const onVisible = useCallback((_from: number, to: number) => seen(to, count), [seen, count]);
  if (value === undefined)
    return error === undefined ? <Skeleton shape="rows" /> : <ErrorPanel message={failureText(error)} />;
  if (count === 0) return <EmptyState text="This database has no changes yet." />;
  const more = value.isAll ? '' : ' and more';
  const documents = count === 1 ? '1 document' : `${count.toLocaleString('en')} documents${more}`;
  return (
    <section aria-label="History" className="flex flex-col gap-3">
      {error !== undefined && <ErrorPanel message={failureText(error)} />}
      <p className="text-sm text-ink-3" role="status">
        {documents}, sorted by latest change, newest first
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
