import { useHead } from '@fixpoint/react';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { Braces, ChartColumn, Copy, Database, Play, Table } from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { Answer, AnswerRow } from '../../local/ask.ts';
import type { DatabasePages } from '../../local/database-pages.ts';
import { documentPath } from '../../local/document-path.ts';
import { IconButton, LinkButton } from '../../ui/button.tsx';
import { type Segment, Segments } from '../../ui/forms/segments.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { EmptyState, ErrorPanel } from '../../ui/pages/feedback.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import { shownId } from '../../values/shown-id.ts';
import { groupedText } from '../charts/number-text.ts';
import { DataGrid } from '../grid/data-grid.tsx';
import type { GridColumn, GridRows } from '../grid/grid-column.ts';
import { atSearch, sameHead } from '../history/versions/version-address.ts';
import { answerRows } from './answer-rows.ts';
import { MapProblem } from './map-problem.tsx';
import { QueryChart } from './query-chart.tsx';
import { QueryExplained } from './query-explained.tsx';
import { REDUCE_LABELS } from './query-options.ts';
import type { FinishedRun, QueryRun } from './use-query-run.ts';

const COLUMNS: readonly GridColumn<AnswerRow>[] = [
  { id: 'key', label: 'key', text: ({ key }) => (/^[[{]/.test(key) ? key : shownId(key)), look: 'id' },
  { id: 'value', label: 'value', text: ({ value }) => value, look: 'muted' },
  { id: 'document', label: 'document', text: ({ id }) => shownId(id) },
];
/** Groups have no document. */
const GROUP_COLUMNS: readonly GridColumn<AnswerRow>[] = [
  { id: 'key', label: 'key', text: ({ key }) => key, look: 'id' },
  { id: 'value', label: 'value', text: ({ value }) => groupedText(value), look: 'number', isNumeric: true },
];
const noPath = (): undefined => undefined;
const rowId = ({ at }: AnswerRow): string => String(at);

export interface QueryResultsProps {
  readonly run: QueryRun;
  readonly database: BridgedDatabase;
  readonly pages: DatabasePages;
  /** The past version that was queried; undefined for the current one. */
  readonly then: readonly string[] | undefined;
  /** Whether the results fill the height beside the query. */
  readonly isWide: boolean;
}

/** Shows the result of a query, or why it failed. */
export function QueryResults({ run, ...props }: QueryResultsProps) {
  const [view, setView] = useState<View>('table');
  if (run.state === 'done') return <Rows {...props} {...{ run, view, setView }} />;
  // Beside the query, an empty half of the page would look like an answer.
  if (run.state === 'none' && !props.isWide) return null;
  return (
    <div className="border-line p-4 max-xl:border-t">
      {run.state === 'none' && (
        <EmptyState
          icon={<Play size={22} />}
          text="Rows appear here while you type. Query runs the function over all documents."
        />
      )}
      {run.state === 'failed' && <MapProblem message={run.message} source={run.source} />}
      {run.state === 'running' && (
        <p role="status" className="text-sm text-ink-3">
          Running...
        </p>
      )}
    </div>
  );
}

interface RowsProps extends QueryResultsProps {
  readonly run: FinishedRun;
  readonly view: View;
  readonly setView: (view: View) => void;
}

function Rows({ run, database, pages, then, isWide, view, setView }: RowsProps) {
  const search = then === undefined ? '' : `?${atSearch(then)}`;
  const pathOf = useCallback(
    ({ id }: AnswerRow) => `${documentPath(pages.docs, id)}${search}`,
    [pages.docs, search],
  );
  const { answer } = run;
  const { cost } = answer;
  const head = useHead(database);
  const isPreview = cost === undefined;
  // A preview without a row has read all documents.
  const isPart = isPreview && answer.count > 0;
  // The head is empty until it is known. A database with rows never becomes empty again.
  const isOld = then === undefined && !isPreview && head.length > 0 && !sameHead(head, run.head);
  const grid = <AnswerGrid {...{ answer, pathOf }} fills={isWide} />;
  return (
    <section aria-label="Results" className="flex min-h-0 min-w-0 flex-col">
      <div className="flex min-h-10.5 shrink-0 flex-wrap items-center gap-x-2.5 gap-y-1.5 border-line px-4 py-1.5 max-xl:border-t">
        {answer.count > 0 && (
          <Segments label="View of the results" segments={VIEWS} chosen={view} onChoose={setView} />
        )}
        <p role="status" className="min-w-0 flex-1 basis-48 text-sm text-ink-3 tabular-nums">
          {isPart ? 'First ' : ''}
          {countText(answer)} in {Math.round(run.tookMs).toLocaleString('en')} ms
          {isPart && ' in document order. Run the query to get all rows, sorted by key.'}
          {isOld && ' · the database has changed since. Run the query again to update the results.'}
        </p>
        {answer.count > 0 && answer.count <= COPIED_MAX && <CopyRows answer={answer} />}
      </div>
      {answer.count === 0 && (
        <div className="p-4">
          <NoRows {...{ answer, database, then }} toDocuments={pages.all} />
        </div>
      )}
      {answer.count > 0 && view === 'chart' && (
        <ChartBeside chart={<QueryChart answer={answer} label={chartLabel(run)} fills={isWide} />}>
          {grid}
        </ChartBeside>
      )}
      {answer.count > 0 && view === 'json' && <JsonRows answer={answer} />}
      {answer.count > 0 && view === 'table' && (
        <div className="flex min-h-0 flex-1 flex-col max-xl:px-4">{grid}</div>
      )}
      {cost !== undefined && (
        <QueryExplained cost={cost} tookMs={run.tookMs} rows={answer.count} isOfThen={then !== undefined} />
      )}
    </section>
  );
}

interface NoRowsProps extends Pick<RowsProps, 'database' | 'then'> {
  readonly answer: Answer;
  readonly toDocuments: string;
}

/** Says why there is no row, and what to do about it. */
function NoRows({ answer, database, then, toDocuments }: NoRowsProps) {
  const [isEmpty, setEmpty] = useState(then === undefined ? undefined : false);
  useEffect(() => {
    if (then !== undefined) return undefined;
    let isOver = false;
    const keep = (found: boolean) => !isOver && setEmpty(found);
    database.rows.window({ limit: 1, fields: [] }).then(
      ({ rows }) => keep(rows.length === 0),
      () => keep(false),
    );
    return () => {
      isOver = true;
    };
  }, [database, then]);
  if (isEmpty === undefined) return null;
  if (!isEmpty) return <EmptyState text={emptyText(answer)} />;
  return (
    <EmptyState
      icon={<Database size={20} />}
      text="This database has no documents. Create or import some, then run the query."
    >
      <LinkButton to={toDocuments} tone="primary">
        Go to All Documents
      </LinkButton>
    </EmptyState>
  );
}

/** Shows a chart and its table: side by side if there is space for both. */
const ChartBeside = ({ chart, children }: { chart: ReactNode; children: ReactNode }) => (
  <div className="@container flex min-h-0 flex-1 flex-col overflow-y-auto xl:border-t xl:border-line">
    <div className="flex min-h-0 flex-1 flex-col @min-[36rem]:flex-row">
      <div className="flex min-h-0 min-w-0 flex-1 flex-col px-4 py-3">{chart}</div>
      <div className="flex min-h-0 min-w-0 flex-col border-line max-xl:px-4 max-xl:pt-3 @min-[36rem]:w-64 @min-[36rem]:shrink-0 xl:border-l xl:*:border-t-0 @max-[36rem]:min-h-56 @max-[36rem]:flex-1">
        {children}
      </div>
    </div>
  </div>
);

type View = 'chart' | 'table' | 'json';

const ICON = { size: 14, 'aria-hidden': true } as const;
const VIEWS: readonly Segment<View>[] = [
  { name: 'chart', label: 'Chart', icon: <ChartColumn {...ICON} /> },
  { name: 'table', label: 'Table', icon: <Table {...ICON} /> },
  { name: 'json', label: 'JSON', icon: <Braces {...ICON} /> },
];

function countText({ count, reduced }: Answer): string {
  const number = count.toLocaleString('en');
  if (reduced === undefined) return count === 1 ? '1 row' : `${number} rows`;
  const rows = reduced === 1 ? '1 row' : `${reduced.toLocaleString('en')} rows`;
  return `${count === 1 ? '1 group' : `${number} groups`} from ${rows}`;
}

const emptyText = ({ reduced }: Answer): string =>
  reduced === undefined || reduced === 0
    ? 'The map function emitted no rows.'
    : 'No row has a number. Emit a number as the value.';

const chartLabel = ({ answer, reduce }: FinishedRun): string =>
  `Bar chart: ${reduce === undefined ? 'values by key' : `${REDUCE_LABELS[reduce.how].toLowerCase()} by key`}, ${countText(answer)}`;

const JSON_CHARS_MAX = 200_000;

function JsonRows({ answer }: { answer: Answer }) {
  const [text, setText] = useState<string | undefined>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    let isOver = false;
    answer.json().then(
      (json) => !isOver && setText(json),
      (cause: unknown) => !isOver && setError(cause),
    );
    return () => {
      isOver = true;
    };
  }, [answer]);
  if (error !== undefined) return <ErrorPanel message={failureText(error)} />;
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2 px-4 pb-3">
      {text !== undefined && text.length > JSON_CHARS_MAX && (
        <p className="text-sm text-ink-3">
          Shows the first {JSON_CHARS_MAX.toLocaleString('en')} characters. Copy as JSON copies all rows.
        </p>
      )}
      <section
        aria-label="Results as JSON"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the focus lets the arrow keys scroll the text
        tabIndex={0}
        className="min-h-0 overflow-auto rounded-lg border border-line bg-surface p-3 max-xl:max-h-160"
      >
        <pre className="font-mono text-xs">{text?.slice(0, JSON_CHARS_MAX)}</pre>
      </section>
    </div>
  );
}

interface AnswerGridProps {
  readonly answer: Answer;
  readonly pathOf: (row: AnswerRow) => string;
  readonly fills: boolean;
}

function AnswerGrid({ answer, pathOf, fills }: AnswerGridProps) {
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
        columns={answer.reduced === undefined ? COLUMNS : GROUP_COLUMNS}
        rowPath={answer.reduced === undefined ? pathOf : noPath}
        linkColumn="document"
        fills={fills}
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
    <IconButton label="Copy as JSON" className="ml-auto" onClick={() => void copy()}>
      <Copy size={14} aria-hidden />
    </IconButton>
  );
}
