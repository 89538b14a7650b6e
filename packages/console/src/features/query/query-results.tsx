import { useHead } from '@fixpoint/react';
import type { Database } from 'fixpoint';
import { Copy } from 'lucide-react';
import { useCallback, useMemo, useSyncExternalStore } from 'react';
import type { Answer, AnswerRow } from '../../local/ask.ts';
import type { DatabasePages } from '../../local/database-pages.ts';
import { documentPath } from '../../local/document-path.ts';
import { Button } from '../../ui/button.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { EmptyState, ErrorPanel } from '../../ui/pages/feedback.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import { shownId } from '../../values/shown-id.ts';
import { DataGrid } from '../grid/data-grid.tsx';
import type { GridColumn, GridRows } from '../grid/grid-column.ts';
import { atSearch, sameHead } from '../history/versions/version-address.ts';
import { answerRows } from './answer-rows.ts';
import { QueryExplained } from './query-explained.tsx';
import type { FinishedRun, QueryRun } from './use-query-run.ts';

const COLUMNS: readonly GridColumn<AnswerRow>[] = [
  { id: 'key', label: 'key', text: ({ key }) => (/^[[{]/.test(key) ? key : shownId(key)) },
  { id: 'value', label: 'value', text: ({ value }) => value, look: 'muted' },
  { id: 'document', label: 'document', text: ({ id }) => shownId(id) },
];
const rowId = ({ at }: AnswerRow): string => String(at);

export interface QueryResultsProps {
  readonly run: QueryRun;
  readonly database: Database;
  readonly pages: DatabasePages;
  /** The past version that was queried; undefined for the current one. */
  readonly then: readonly string[] | undefined;
}

/** Shows the result of a query, or why it failed. */
export function QueryResults({ run, ...props }: QueryResultsProps) {
  if (run.state === 'none') return null;
  if (run.state === 'failed') return <ErrorPanel message={run.message} />;
  if (run.state === 'running')
    return (
      <p role="status" className="text-sm text-ink-3">
        Running...
      </p>
    );
  return <Rows run={run} {...props} />;
}

function Rows({ run, database, pages, then }: QueryResultsProps & { run: FinishedRun }) {
  const search = then === undefined ? '' : `?${atSearch(then)}`;
  const pathOf = useCallback(
    ({ id }: AnswerRow) => `${documentPath(pages.docs, id)}${search}`,
    [pages.docs, search],
  );
  const { answer } = run;
  const { cost } = answer;
  const head = useHead(database);
  const isPreview = cost === undefined;
  // The head is empty until it is known. A database with rows never becomes empty again.
  const isOld = then === undefined && !isPreview && head.length > 0 && !sameHead(head, run.head);
  const count = answer.count === 1 ? '1 row' : `${answer.count.toLocaleString('en')} rows`;
  return (
    <section aria-label="Results" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <p role="status" className="text-sm text-ink-3">
          {isPreview ? `First ${count}` : count} in {Math.round(run.tookMs)} ms
          {isPreview && ' in document order. Run the query to get all rows, sorted by key.'}
          {isOld && ' · the database has changed since. Run the query again to update the results.'}
        </p>
        {answer.count > 0 && answer.count <= COPIED_MAX && <CopyRows answer={answer} />}
      </div>
      {cost !== undefined && (
        <QueryExplained cost={cost} tookMs={run.tookMs} rows={answer.count} isOfThen={then !== undefined} />
      )}
      {answer.count === 0 ? (
        <EmptyState text="The map function emitted no rows." />
      ) : (
        <AnswerGrid answer={answer} pathOf={pathOf} />
      )}
    </section>
  );
}

function AnswerGrid({ answer, pathOf }: { answer: Answer; pathOf: (row: AnswerRow) => string }) {
  const found = useMemo(() => answerRows(answer), [answer]);
  const state = useSyncExternalStore(found.subscribe, found.current);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each state means that rows changed
  const rows = useMemo(
    (): GridRows<AnswerRow> => ({
      count: found.count,
      rowAt: found.rowAt,
      rowId,
      indexOf: (at) => Number(at),
    }),
    [found, state],
  );
  return (
    <>
      {state.error !== undefined && <ErrorPanel message={failureText(state.error)} />}
      <DataGrid
        label="Results"
        rows={rows}
        columns={COLUMNS}
        rowPath={pathOf}
        linkColumn="document"
        onVisible={found.show}
      />
    </>
  );
}

const COPIED_MAX = 10_000;

function CopyRows({ answer }: { answer: Answer }) {
  const toast = useToast();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(await answer.json());
      const { count } = answer;
      toast(`Copied ${count.toLocaleString('en')} ${count === 1 ? 'row' : 'rows'} as JSON.`);
    } catch (error) {
      toast(`Couldn’t copy the rows: ${failureText(error)}`, { tone: 'error' });
    }
  };
  return (
    <Button size="sm" className="self-start" onClick={() => void copy()}>
      <Copy size={13} aria-hidden /> Copy as JSON
    </Button>
  );
}
