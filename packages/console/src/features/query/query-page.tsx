import type { BridgedDatabase } from 'fixpoint/bridge';
import type { FieldUse } from 'fixpoint/rows';
import { Play } from 'lucide-react';
import { useCallback, useEffect, useId, useMemo, useState } from 'react';
import { useSearchParams } from 'react-router';
import type { DatabasePages } from '../../local/database-pages.ts';
import { freeLabel, isView, labelOf, type StoredQuery, savedPath } from '../../local/saved-queries.ts';
import { useSavedQueries } from '../../local/use-saved-queries.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/forms/form.tsx';
import { ErrorPanel, NotFound, Skeleton } from '../../ui/pages/feedback.tsx';
import { isMac } from '../../ui/shortcut-table.ts';
import { failureText } from '../../ui/text/failure-text.ts';
import { KeyHint } from '../../ui/text/kbd.tsx';
import { useIsWide } from '../../ui/use-is-wide.ts';
import { CodeEditor } from '../editor/lazy-editor.tsx';
import type { KnownField } from '../editor/map-completion.ts';
import type { EditorText } from '../editor/read-json.ts';
import { PastBanner } from '../history/versions/past-banner.tsx';
import { PastGate } from '../history/versions/past-problem.tsx';
import { atSearch, headIn } from '../history/versions/version-address.ts';
import { OptionsForm } from './options-form.tsx';
import { DEFAULT_MAP, readQueryDraft, writeQueryDraft } from './query-draft.ts';
import { QueryName } from './query-name.tsx';
import {
  isPlain,
  parseOptions,
  type QueryOptionTexts,
  readOptionsDraft,
  savedOptions,
  writeOptionsDraft,
} from './query-options.ts';
import { QueryResults } from './query-results.tsx';
import { useKeptEditor } from './use-kept-editor.ts';
import { PREVIEW_ROWS, useQueryRun } from './use-query-run.ts';
import { type RunOnTyping, useRunOnTyping } from './use-run-on-typing.ts';
import { type Saving, useSaving } from './use-saving.ts';

export interface QueryPageProps {
  readonly database: BridgedDatabase;
  /** The open saved query; undefined for a new one. */
  readonly queryId: string | undefined;
  readonly pages: DatabasePages;
}

/**
 * Shows a map function in an editor, and its result for the documents of a database. The function
 * doesn't run before the user types or presses Query.
 */
export function QueryPage({ database, queryId, pages }: QueryPageProps) {
  const { loaded, queries, error } = useSavedQueries(database.name);
  const then = useThen();
  const at = queries.findIndex(({ _id }) => _id === queryId);
  const { editor, saved, keep } = useKeptEditor(queryId, queries[at]);
  if (error !== undefined) return <ErrorPanel message={failureText(error)} />;
  if (!loaded) return <Skeleton />;
  if (queryId !== undefined && saved === undefined)
    return (
      <NotFound isPage={false} text="This query isn’t saved in this browser. It may have been deleted.">
        <LinkButton to={pages.query}>New query</LinkButton>
      </NotFound>
    );
  const label = saved === undefined ? freeLabel(queries) : labelOf(saved, at);
  if (saved !== undefined && isView(saved))
    return (
      <NotFound isPage={false} text={`"${label}" is a saved view of the documents.`}>
        <LinkButton to={savedPath(saved, pages)} tone="primary">
          Open the view
        </LinkButton>
      </NotFound>
    );
  const here = saved === undefined ? pages.query : `${pages.query}/${encodeURIComponent(saved._id)}`;
  const page = (
    <>
      {then !== undefined && (
        <PastBanner {...{ database, head: then }} nowPath={here} shown="Queries run on this version:" note="">
          <LinkButton to={`${pages.all}?${atSearch(then)}`}>Documents in this version</LinkButton>
        </PastBanner>
      )}
      <QueryEditor
        key={JSON.stringify([editor, then])}
        {...{ database, pages, saved, queries, label, then }}
        onFirstSaved={keep}
      />
    </>
  );
  return then === undefined ? (
    page
  ) : (
    <PastGate {...{ database, pages }} head={then} nowPath={here}>
      {page}
    </PastGate>
  );
}

/** Returns the past version that the address names; undefined for the current one. */
function useThen(): readonly string[] | undefined {
  const at = headIn(useSearchParams()[0])?.join(',');
  return useMemo(() => at?.split(','), [at]);
}

interface QueryEditorProps {
  readonly database: BridgedDatabase;
  readonly pages: DatabasePages;
  readonly saved: StoredQuery | undefined;
  /** All saved queries and views of the database. */
  readonly queries: readonly StoredQuery[];
  readonly label: string;
  readonly then: readonly string[] | undefined;
  /** Called before the address changes to the address of the saved query. */
  readonly onFirstSaved: (query: StoredQuery) => void;
}

function QueryEditor(props: QueryEditorProps) {
  const { database, saved, queries, then, pages } = props;
  const savedSource = typeof saved?.source === 'string' ? saved.source : undefined;
  const [source, setSource] = useState(
    () => readQueryDraft(database.name, saved?._id) ?? savedSource ?? DEFAULT_MAP,
  );
  const [revision, setRevision] = useState(0);
  const { options, setOptions, isChanged } = useOptions(database.name, saved);
  const parsed = parseOptions(options);
  const { run, start, preview, cancel } = useQueryRun(database, then);
  const isFresh = then === undefined && saved === undefined && source === DEFAULT_MAP && isPlain(options);
  const asYouType = useRunOnTyping(preview, isFresh ? DEFAULT_MAP : undefined);
  const { known, wanted } = useKnownFields(database);
  const isEdited = savedSource !== undefined && (source !== savedSource || isChanged);
  const change = (text: string) => {
    setSource(text);
    writeQueryDraft(database.name, saved?._id, text === (savedSource ?? DEFAULT_MAP) ? undefined : text);
  };
  const typed = (text: EditorText) => {
    const next = text.toString();
    change(next);
    // A preview has no options, so its rows would be others than those of the query.
    if (then === undefined && isPlain(options)) asYouType.typed(next);
  };
  const runAll = () => {
    asYouType.stop();
    if (parsed.problem === undefined) void start(source, parsed);
  };
  const revert = () => {
    change(savedSource ?? DEFAULT_MAP);
    setOptions(savedOptions(saved?.options));
    setRevision(revision + 1);
  };
  const form = useId();
  const isWide = useIsWide();
  const saving = useSaving({ ...props, source, options, isEdited });
  return (
    <div className={isWide ? BESIDE : BELOW}>
      <div className="flex min-h-0 min-w-0 flex-col overflow-y-auto border-line xl:border-r">
        <QueryName {...{ form, saving, saved, queries, pages, isEdited }} onRevert={revert} />
        <div className={isWide ? EDITOR_FILLS : EDITOR}>
          <CodeEditor
            label="Map function"
            language="javascript"
            text={source}
            revision={revision}
            onText={typed}
            known={known}
            onKnownWanted={wanted}
            onRun={runAll}
          />
        </div>
        <OptionsForm {...{ options, isWide }} problem={parsed.problem} onChange={setOptions} onRun={runAll} />
        <RunBar
          {...{ form, saving, cancel }}
          isRunning={run.state === 'running'}
          asYouType={then === undefined ? asYouType : undefined}
          onRun={runAll}
        />
      </div>
      <QueryResults {...{ run, database, pages, then, isWide }} />
    </div>
  );
}

interface RunBarProps {
  /** The id of the form that saves the query. */
  readonly form: string;
  readonly saving: Saving;
  readonly isRunning: boolean;
  /** Undefined for a past version, which has no preview. */
  readonly asYouType: RunOnTyping | undefined;
  readonly onRun: () => void;
  readonly cancel: () => void;
}

/** Runs and saves the query. */
function RunBar({ form, saving, isRunning, asYouType, onRun, cancel }: RunBarProps) {
  return (
    <div className="flex min-h-14 shrink-0 flex-wrap items-center gap-2 border-t border-line px-4 py-2">
      <Button tone="primary" className="max-sm:grow" aria-keyshortcuts="Control+Enter" onClick={onRun}>
        <Play size={14} aria-hidden /> Query
        <KeyHint strokes={[[isMac() ? '⌘' : 'Ctrl', '⏎']]} className="bg-[rgb(0_0_0/15%)]" />
      </Button>
      {isRunning && <Button onClick={cancel}>Cancel</Button>}
      <Button type="submit" form={form} disabled={saving.isBusy || !saving.isChanged}>
        Save
      </Button>
      {asYouType !== undefined && (
        <span className="ml-auto">
          <Checkbox
            label="Run while I type"
            title={`Shows the first ${PREVIEW_ROWS} rows when you pause.`}
            checked={asYouType.isOn}
            onChange={(event) => asYouType.turn(event.target.checked)}
          />
        </span>
      )}
    </div>
  );
}

/** On wide screens, the results are beside the query, and both are as high as the window. */
const BESIDE = 'fills grid! grid-cols-[minmax(0,11fr)_minmax(0,19fr)] grid-rows-[minmax(0,1fr)]';
const BELOW = '-mx-4 -mt-4 flex flex-col';
const EDITOR = '[&>[data-editor]]:rounded-none [&>[data-editor]]:border-0';
const EDITOR_FILLS = `${EDITOR} flex min-h-36 flex-1 flex-col [&>[data-editor]]:min-h-0 [&>[data-editor]]:flex-1 [--editor-fill:100%] [--editor-max:none]`;

/** Returns the options of the query, which this tab keeps until they are saved. */
function useOptions(database: string, saved: StoredQuery | undefined) {
  const stored = savedOptions(saved?.options);
  const [options, setState] = useState(() => readOptionsDraft(database, saved?._id) ?? stored);
  const isSame = (one: QueryOptionTexts) => JSON.stringify(one) === JSON.stringify(stored);
  return {
    options,
    isChanged: !isSame(options),
    setOptions: (next: QueryOptionTexts) => {
      setState(next);
      writeOptionsDraft(database, saved?._id, isSame(next) ? undefined : next);
    },
  };
}

/**
 * Returns fields for completion: at first the fields of the first documents; after a call of
 * `wanted`, the fields of all documents, which requires reading every document.
 */
function useKnownFields(database: BridgedDatabase): { known: readonly KnownField[]; wanted: () => void } {
  const [known, setKnown] = useState<readonly KnownField[]>([]);
  const [isWanted, setWanted] = useState(false);
  useEffect(() => {
    if (isWanted) return database.rows.onFields((uses) => setKnown(uses.map(knownOf)));
    let isOver = false;
    database.rows.window({ limit: SAMPLE }).then(
      ({ fields }) => !isOver && setKnown(['_id', ...fields].map((name) => ({ name, detail: '' }))),
      () => undefined,
    );
    return () => {
      isOver = true;
    };
  }, [database, isWanted]);
  return { known, wanted: useCallback(() => setWanted(true), []) };
}

const SAMPLE = 100;
const knownOf = ({ field, documents }: FieldUse): KnownField => ({
  name: field,
  detail: `${documents.toLocaleString('en')} ${documents === 1 ? 'document' : 'documents'}`,
});
