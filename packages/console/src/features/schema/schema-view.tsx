import type { BridgedDatabase } from 'fixpoint/bridge';
import { Download, ListTree, Plus, RefreshCw, Search, TriangleAlert } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import type { FieldSummary } from '../../local/ask.ts';
import { useCanWrite } from '../../local/can-write.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { EmptyState, ErrorPanel, Skeleton } from '../../ui/pages/feedback.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import { Keys } from '../../ui/text/kbd.tsx';
import { documentsText } from '../../undo/undo-stack.ts';
import { pathLabel } from '../filter/filter.ts';
import { searchOfFilter } from '../filter/filter-address.ts';
import { saveFile } from '../transfer/save-file.ts';
import { FieldPanel } from './field-panel.tsx';
import { FieldTable, SHOWN_MAX } from './field-table.tsx';
import { condition, outliersOf } from './outliers.ts';
import { schemaText } from './schema-file.ts';
import { SchemaSwitch } from './schema-switch.tsx';
import { BY_USE, sortFields } from './sort-fields.ts';
import { useFieldIndexes } from './use-field-indexes.ts';
import { type FieldKeys, useFieldKeys } from './use-field-keys.ts';
import { type SummaryRun, useSummary } from './use-summary.ts';

const NO_FIELDS: readonly FieldSummary[] = [];
const OUTLIERS =
  'border-conflict-line! bg-conflict-soft! text-conflict aria-pressed:shadow-[inset_0_0_0_1px_var(--conflict)]!';

export interface SchemaViewProps {
  readonly database: BridgedDatabase;
  /** The link to a document is this path plus the encoded id. */
  readonly basePath: string;
}

/** Shows the fields of all documents: types, counts, values and outliers. */
export function SchemaView({ database, basePath }: SchemaViewProps) {
  const run = useSummary(database);
  const [text, setText] = useState('');
  const [isOutliersOnly, setOutliersOnly] = useState(false);
  const [chosen, choose] = useState<string | undefined>();
  const [sort, setSort] = useState(BY_USE);
  const fields = run.summary?.fields ?? NO_FIELDS;
  const unusual = useMemo(() => fields.filter((field) => outliersOf(field).length > 0), [fields]);
  const wanted = text.trim().toLowerCase();
  const shown = useMemo(
    () =>
      sortFields(isOutliersOnly ? unusual : fields, sort).filter(({ path }) =>
        pathLabel(path).toLowerCase().includes(wanted),
      ),
    [fields, unusual, isOutliersOnly, sort, wanted],
  );
  const field = fields.find(({ path }) => path === chosen);
  const indexes = useFieldIndexes(database, useIndexable(run));
  const body = useRef<HTMLTableSectionElement>(null);
  const keys = useKeysOf(body, chosen, choose);
  const documents = run.summary?.documents ?? 0;
  if (run.state === 'done' && documents === 0) return <NoFields basePath={basePath} />;
  return (
    <section aria-label="Schema" className="fills">
      <div className="flex min-h-10.5 shrink-0 flex-wrap items-center gap-1.5 pr-3 pl-4 max-sm:py-2">
        <SchemaSwitch isSchema />
        <FindField text={text} setText={setText} />
        <Button
          aria-pressed={isOutliersOnly}
          className={unusual.length > 0 ? OUTLIERS : 'aria-pressed:bg-pressed'}
          onClick={() => setOutliersOnly(!isOutliersOnly)}
        >
          <TriangleAlert size={12} strokeWidth={2} aria-hidden /> Outliers
          <span className="text-xs font-normal">
            {unusual.length} {unusual.length === 1 ? 'field' : 'fields'}
          </span>
        </Button>
        <Progress run={run} />
        <ExportButton {...{ database, run }} />
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
            <NoneMatches isOutliersOnly={isOutliersOnly} />
          ) : (
            <FieldTable
              {...{ fields: shown, documents, indexes, sort, chosen, choose, body }}
              onSort={setSort}
            />
          )}
          {field !== undefined && (
            <FieldPanel
              key={field.path}
              {...{ database, basePath, field, documents, indexes }}
              onConverted={run.again}
              onClose={() => choose(undefined)}
            />
          )}
        </div>
      )}
      <Footer
        {...{ fields, keys, chosen }}
        isCut={run.summary?.isCut === true}
        hasOutliers={unusual.length > 0}
      />
    </section>
  );
}

/** Phones have no keys. */
const Shortcut = ({ of }: { of: string }) => (
  <span className="max-sm:hidden">
    <Keys strokes={[[of]]} />
  </span>
);

interface FooterProps {
  readonly fields: readonly FieldSummary[];
  readonly isCut: boolean;
  readonly hasOutliers: boolean;
  readonly chosen: string | undefined;
  readonly keys: FieldKeys;
}

/** Shows the number of fields, and buttons for the keys. */
function Footer({ fields, isCut, hasOutliers, chosen, keys }: FooterProps) {
  return (
    <div className="flex min-h-7.5 shrink-0 flex-wrap items-center gap-x-1 border-t border-line pr-2 pl-4 text-xs text-ink-3 tabular-nums">
      <p className="mr-auto">
        {countText(fields)}
        {isCut && '. There are more, which aren’t shown'}
      </p>
      {hasOutliers && (
        <Button tone="quiet" size="sm" aria-keyshortcuts="N" onClick={keys.next}>
          Next outlier <Shortcut of="N" />
        </Button>
      )}
      {chosen !== undefined && (
        <Button tone="quiet" size="sm" aria-keyshortcuts="F" onClick={keys.filter}>
          Filter by this field <Shortcut of="F" />
        </Button>
      )}
    </div>
  );
}

/** Returns the fields that may have an index, once all documents are read. */
function useIndexable({ state, summary }: SummaryRun): readonly string[] {
  return useMemo(
    () =>
      state === 'done'
        ? (summary?.fields ?? NO_FIELDS)
            .slice(0, SHOWN_MAX)
            .map(({ path }) => path)
            .filter((path) => path !== '_id')
        : [],
    [state, summary],
  );
}

/** Returns what the keys of the page do. */
function useKeysOf(
  body: { readonly current: HTMLElement | null },
  chosen: string | undefined,
  choose: (path: string) => void,
) {
  const navigate = useNavigate();
  const keys = {
    next: () => {
      const all = [...(body.current?.querySelectorAll<HTMLElement>('[data-field]') ?? [])];
      const focused = all.indexOf(document.activeElement as HTMLElement);
      const at = focused >= 0 ? focused : all.findIndex(({ dataset }) => dataset['field'] === chosen);
      const found = [...all.slice(at + 1), ...all.slice(0, at + 1)].find(
        ({ dataset }) => dataset['unusual'] === 'true',
      );
      if (found === undefined) return;
      found.focus();
      found.scrollIntoView({ block: 'nearest' });
      choose(found.dataset['field'] ?? '');
    },
    filter: () => {
      const { field } = (document.activeElement as HTMLElement | null)?.dataset ?? {};
      const path = field ?? chosen;
      if (path !== undefined) void navigate({ search: searchOfFilter([condition(path, 'exists')]) });
    },
  };
  useFieldKeys(keys);
  return keys;
}

function FindField({ text, setText }: { text: string; setText: (text: string) => void }) {
  return (
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
  );
}

/** Saves the fields that the page shows as a JSON file. */
function ExportButton({
  database: { name },
  run: { summary },
}: {
  database: BridgedDatabase;
  run: SummaryRun;
}) {
  if (summary === undefined || summary.fields.length === 0) return null;
  const save = () => saveFile(`${name}-schema.json`, new Blob([schemaText(name, summary)]));
  return (
    <Button onClick={save}>
      <Download size={14} aria-hidden /> <span className="max-lg:sr-only">Export</span>
    </Button>
  );
}

function countText(fields: readonly FieldSummary[]): string {
  const nested = fields.filter(({ steps }) => steps.length > 1 || steps[0]?.isEach === true).length;
  const own = fields.length - nested;
  const noun = own === 1 ? 'field' : 'fields';
  return `${own.toLocaleString('en')} ${noun}${nested === 0 ? '' : `, and ${nested.toLocaleString('en')} inside them`}`;
}

const NoneMatches = ({ isOutliersOnly }: { isOutliersOnly: boolean }) => (
  <div className="flex-1 p-4">
    <EmptyState text={isOutliersOnly ? 'No outliers in the fields that match.' : 'No field matches.'} />
  </div>
);

/** Shows how fields get into an empty database. */
function NoFields({ basePath }: Pick<SchemaViewProps, 'basePath'>) {
  const canWrite = useCanWrite();
  return (
    <section aria-label="Schema" className="fills">
      <div className="flex min-h-10.5 shrink-0 items-center border-b border-line pr-3 pl-4 max-sm:py-2">
        <SchemaSwitch isSchema />
      </div>
      <div className="p-4">
        <EmptyState icon={<ListTree size={24} />} text="No documents yet, so there are no fields.">
          {canWrite && (
            <LinkButton tone="primary" to={`${basePath}/new`}>
              <Plus size={16} aria-hidden /> New Document
            </LinkButton>
          )}
        </EmptyState>
      </div>
    </section>
  );
}

/** Shows how many documents were read. */
function Progress({ run }: { run: SummaryRun }) {
  const { state, summary, tookMs, isOld, cancel, again } = run;
  const read = (summary?.documents ?? 0).toLocaleString('en');
  const documents = documentsText(summary?.documents ?? 0);
  const total = summary?.total?.toLocaleString('en');
  const isRunning = state === 'running';
  return (
    <div className="ml-auto flex items-center gap-2 text-sm text-ink-3 tabular-nums">
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
        {state === 'cancelled' && `Stopped after ${documents}. The counts are of these.`}
        {state === 'done' &&
          `${summary?.documents === 1 ? '' : 'All '}${documents} read in ${Math.round(tookMs ?? 0).toLocaleString('en')} ms`}
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
