import type { BridgedDatabase } from 'fixpoint/bridge';
import { RefreshCw, Search, TriangleAlert } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { FieldSummary } from '../../local/ask.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState, ErrorPanel, Skeleton } from '../../ui/pages/feedback.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import { pathLabel } from '../filter/filter.ts';
import { FieldPanel } from './field-panel.tsx';
import { FieldTable } from './field-table.tsx';
import { outliersOf } from './outliers.ts';
import { SchemaSwitch } from './schema-switch.tsx';
import { type SummaryRun, useSummary } from './use-summary.ts';

const NO_FIELDS: readonly FieldSummary[] = [];

/** Shows the fields of all documents: types, counts, values and outliers. */
export function SchemaView({ database }: { database: BridgedDatabase }) {
  const run = useSummary(database);
  const [text, setText] = useState('');
  const [isOutliersOnly, setOutliersOnly] = useState(false);
  const [chosen, choose] = useState<string | undefined>();
  const fields = run.summary?.fields ?? NO_FIELDS;
  const unusual = useMemo(() => fields.filter((field) => outliersOf(field).length > 0), [fields]);
  const wanted = text.trim().toLowerCase();
  const shown = (isOutliersOnly ? unusual : fields).filter(({ path }) =>
    pathLabel(path).toLowerCase().includes(wanted),
  );
  const field = fields.find(({ path }) => path === chosen);
  return (
    <section aria-label="Schema" className="fills">
      <div className="flex min-h-10.5 shrink-0 flex-wrap items-center gap-1.5 pr-3 pl-4 max-sm:py-2">
        <SchemaSwitch isSchema />
        <div className="relative min-w-24 grow sm:max-w-49">
          <Search
            size={14}
            aria-hidden
            className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-ink-3"
          />
          <input
            type="search"
            aria-label="Find a field"
            placeholder="Find a field"
            value={text}
            onChange={({ target }) => setText(target.value)}
            className="h-(--control) w-full rounded-md border border-control-line bg-surface pr-2 pl-8 text-sm -outline-offset-1 placeholder:text-ink-3 hover:border-ink max-sm:text-[1rem]"
          />
        </div>
        <Button
          aria-pressed={isOutliersOnly}
          className="aria-pressed:border-conflict-line aria-pressed:bg-conflict-soft"
          onClick={() => setOutliersOnly(!isOutliersOnly)}
        >
          <TriangleAlert size={14} aria-hidden className="text-conflict" /> Outliers
          <span className="text-xs text-ink-3">
            {unusual.length} {unusual.length === 1 ? 'field' : 'fields'}
          </span>
        </Button>
        <Progress run={run} />
      </div>
      {run.error !== undefined && (
        <div className="px-4 pb-2">
          <ErrorPanel message={failureText(run.error)}>
            <Button onClick={run.again}>Try again</Button>
          </ErrorPanel>
        </div>
      )}
      {run.summary === undefined && run.state === 'running' ? (
        <div className="px-4">
          <Skeleton shape="rows" />
        </div>
      ) : (
        <div className="flex min-h-0 flex-1 border-t border-line max-lg:flex-col">
          {shown.length === 0 ? (
            <div className="flex-1 p-4">
              <EmptyState text={emptyText(fields.length, isOutliersOnly)} />
            </div>
          ) : (
            <FieldTable {...{ fields: shown, chosen, choose }} documents={run.summary?.documents ?? 0} />
          )}
          {field !== undefined && (
            <FieldPanel
              key={field.path}
              {...{ database, field }}
              documents={run.summary?.documents ?? 0}
              onClose={() => choose(undefined)}
            />
          )}
        </div>
      )}
      <p className="flex h-7.5 shrink-0 items-center border-t border-line px-4 text-xs text-ink-3 tabular-nums">
        {fields.length.toLocaleString('en')} {fields.length === 1 ? 'field' : 'fields'}, with nested ones
        {run.summary?.isCut === true && '. There are more, which aren’t shown'}
      </p>
    </section>
  );
}

function emptyText(count: number, isOutliersOnly: boolean): string {
  if (count === 0) return 'No documents yet, so there are no fields.';
  return isOutliersOnly ? 'No outliers in the fields that match.' : 'No field matches.';
}

/** Shows how many documents were read. */
function Progress({ run }: { run: SummaryRun }) {
  const { state, summary, tookMs, isOld, cancel, again } = run;
  const read = (summary?.documents ?? 0).toLocaleString('en');
  const total = summary?.total?.toLocaleString('en');
  const isRunning = state === 'running';
  return (
    <div className="ml-auto flex items-center gap-2 text-xs text-ink-3 tabular-nums">
      {isRunning && summary?.total !== undefined && (
        <progress
          aria-label="Documents read"
          max={summary.total}
          value={summary.documents}
          className="h-1 w-24 accent-accent"
        />
      )}
      <p role="status" aria-live={isRunning ? 'off' : 'polite'}>
        {isRunning && `${read}${total === undefined ? '' : ` of ${total}`} documents read`}
        {state === 'cancelled' && `Stopped after ${read} documents. The counts are of these.`}
        {state === 'done' &&
          `All ${read} documents read in ${Math.round(tookMs ?? 0).toLocaleString('en')} ms`}
        {state === 'done' && isOld && '. Documents have changed since.'}
      </p>
      {isRunning ? (
        <Button size="sm" onClick={cancel}>
          Stop
        </Button>
      ) : (
        (isOld || state !== 'done') && (
          <Button size="sm" onClick={again}>
            <RefreshCw size={12} aria-hidden /> Read again
          </Button>
        )
      )}
    </div>
  );
}
