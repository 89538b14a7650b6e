import { useHead } from '@fixpoint/react';
import type { Database } from 'fixpoint';
import { Copy } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import { failureText } from '../../local/failure-text.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState, ErrorPanel } from '../../ui/feedback.tsx';
import { useToast } from '../../ui/toaster.tsx';
import type { DatabasePages } from '../databases/database-pages.ts';
import { cellText } from '../documents/cell-text.ts';
import { documentPath } from '../documents/document-path.ts';
import { DataGrid, rowsOfList } from '../grid/data-grid.tsx';
import type { GridColumn } from '../grid/grid-column.ts';
import { atSearch } from '../history/past.ts';
import { toPlain } from '../transfer/plain-json.ts';
import { QueryExplained } from './query-explained.tsx';
import type { FinishedRun, NumberedRow, QueryRun } from './use-query-run.ts';

const COLUMNS: readonly GridColumn<NumberedRow>[] = [
  { id: 'key', label: 'key', text: ({ key }) => cellText(key) },
  { id: 'value', label: 'value', text: ({ value }) => cellText(value), look: 'muted' },
  { id: 'document', label: 'document', text: ({ id }) => id },
];
const rowId = ({ at }: NumberedRow): string => String(at);

export interface QueryResultsProps {
  readonly run: QueryRun;
  readonly database: Database;
  readonly pages: DatabasePages;
  /** The past state that was asked; undefined for now. */
  readonly then: readonly string[] | undefined;
}

/** What a query gave, or why it failed. */
export function QueryResults({ run, ...props }: QueryResultsProps) {
  if (run.state === 'none') return null;
  if (run.state === 'failed') return <ErrorPanel message={run.message} />;
  if (run.state === 'running')
    return (
      <p role="status" className="text-sm text-muted">
        Running…
      </p>
    );
  return <Rows run={run} {...props} />;
}

function Rows({ run, database, pages, then }: QueryResultsProps & { run: FinishedRun }) {
  const search = then === undefined ? '' : `?${atSearch(then)}`;
  const pathOf = useCallback(
    ({ id }: NumberedRow) => `${documentPath(pages.docs, id)}${search}`,
    [pages.docs, search],
  );
  const rows = useMemo(() => rowsOfList(run.rows, rowId), [run.rows]);
  const head = useHead(database);
  const isPreview = run.cost === undefined;
  const isOld =
    then === undefined &&
    !isPreview &&
    (head.length !== run.head.length || head.some((event, at) => event !== run.head[at]));
  const count = run.rows.length === 1 ? '1 row' : `${run.rows.length.toLocaleString('en')} rows`;
  return (
    <section aria-label="Results" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <p role="status" className="text-sm text-muted">
          {isPreview ? `First ${count}` : count} in {Math.round(run.tookMs)} ms
          {isPreview && ' · in the order of documents; Query gives all, in the order of keys'}
          {isOld && ' · the database has changed since: query again to see it as it is now'}
        </p>
        {run.rows.length > 0 && run.rows.length <= COPIED_MAX && <CopyRows rows={run.rows} />}
      </div>
      {run.cost !== undefined && (
        <QueryExplained
          cost={run.cost}
          tookMs={run.tookMs}
          rows={run.rows.length}
          isOfThen={then !== undefined}
        />
      )}
      {run.rows.length === 0 ? (
        <EmptyState text="The map function emitted nothing." />
      ) : (
        <DataGrid label="Results" rows={rows} columns={COLUMNS} rowPath={pathOf} linkColumn="document" />
      )}
    </section>
  );
}

const COPIED_MAX = 10_000;

function CopyRows({ rows }: { rows: readonly NumberedRow[] }) {
  const toast = useToast();
  const copy = async () => {
    try {
      const plain = rows.map(({ key, value, id }) => ({ key: toPlain(key), value: toPlain(value), id }));
      await navigator.clipboard.writeText(JSON.stringify(plain, undefined, 2));
      toast(
        `${rows.length.toLocaleString('en')} ${rows.length === 1 ? 'row is' : 'rows are'} copied as JSON.`,
      );
    } catch (error) {
      toast(`Nothing was copied: ${failureText(error)}`, { tone: 'error' });
    }
  };
  return (
    <Button size="sm" className="self-start" onClick={() => void copy()}>
      <Copy size={13} aria-hidden /> Copy as JSON
    </Button>
  );
}
