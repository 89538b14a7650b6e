import type { BridgedDatabase } from 'fixpoint/bridge';
import type { FieldUse } from 'fixpoint/rows';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useSearchParams } from 'react-router';
import { useVisit } from '../../leaving/visit.ts';
import type { DatabasePages } from '../../local/database-pages.ts';
import {
  freeLabel,
  isView,
  labelOf,
  type StoredQuery,
  savedPath,
  savedQueriesOf,
  saveQuery,
} from '../../local/saved-queries.ts';
import { useSavedQueries } from '../../local/use-saved-queries.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Checkbox, TextField } from '../../ui/forms/form.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { useTask } from '../../ui/overlays/use-task.ts';
import { ErrorPanel, NotFound, Skeleton } from '../../ui/pages/feedback.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import { CodeEditor } from '../editor/lazy-editor.tsx';
import type { KnownField } from '../editor/map-completion.ts';
import type { EditorText } from '../editor/read-json.ts';
import { PastBanner } from '../history/versions/past-banner.tsx';
import { PastGate } from '../history/versions/past-problem.tsx';
import { atSearch, headIn } from '../history/versions/version-address.ts';
import { OptionsForm } from './options-form.tsx';
import { DEFAULT_MAP, moveQueryDraft, readQueryDraft, writeQueryDraft } from './query-draft.ts';
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
import { useRunOnTyping } from './use-run-on-typing.ts';

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
        <PastBanner
          {...{ database, head: then }}
          nowPath={here}
          shown="Queries run on the version at"
          note=""
        >
          <LinkButton to={`${pages.all}?${atSearch(then)}`} size="sm">
            Documents in this version
          </LinkButton>
        </PastBanner>
      )}
      <QueryEditor
        key={JSON.stringify([editor, then])}
        {...{ database, pages, saved, label, then }}
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
  readonly label: string;
  readonly then: readonly string[] | undefined;
  /** Called before the address changes to the address of the saved query. */
  readonly onFirstSaved: (query: StoredQuery) => void;
}

function QueryEditor(props: QueryEditorProps) {
  const { database, saved, then, pages } = props;
  const savedSource = typeof saved?.source === 'string' ? saved.source : undefined;
  const [source, setSource] = useState(
    () => readQueryDraft(database.name, saved?._id) ?? savedSource ?? DEFAULT_MAP,
  );
  const [revision, setRevision] = useState(0);
  const { options, setOptions, isChanged } = useOptions(database.name, saved);
  const parsed = parseOptions(options);
  const { run, start, preview, cancel } = useQueryRun(database, then);
  const asYouType = useRunOnTyping(preview);
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
  return (
    // On wide screens, the results are beside the query.
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 xl:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
      <div className="@container flex min-w-0 flex-col gap-4">
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
        <OptionsForm options={options} problem={parsed.problem} onChange={setOptions} onRun={runAll} />
        <div className="flex flex-wrap items-end gap-2">
          <Button tone="primary" size="field" onClick={runAll}>
            Query
          </Button>
          {run.state === 'running' && (
            <Button size="field" onClick={cancel}>
              Cancel
            </Button>
          )}
          <div className="mr-auto flex min-h-9 flex-col justify-center gap-0.5">
            {then === undefined && (
              <Checkbox
                label={`Show the first ${PREVIEW_ROWS} rows while I type`}
                checked={asYouType.isOn}
                onChange={(event) => asYouType.turn(event.target.checked)}
              />
            )}
            <p className="text-xs text-ink-3 max-sm:hidden">
              Ctrl + Enter or ⌘ + Enter runs the whole query. Ctrl + Space suggests code.
            </p>
          </div>
          {isEdited && (
            <Button size="field" onClick={revert}>
              Revert
            </Button>
          )}
          <SaveForm {...props} {...{ source, options, isEdited }} />
        </div>
      </div>
      <QueryResults {...{ run, database, pages, then }} />
    </div>
  );
}

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

interface SaveFormProps extends QueryEditorProps {
  readonly source: string;
  readonly options: QueryOptionTexts;
  readonly isEdited: boolean;
}

function SaveForm(props: SaveFormProps) {
  const { database, pages, saved, label, then, onFirstSaved, source, options, isEdited } = props;
  const search = then === undefined ? '' : `?${atSearch(then)}`;
  const [typed, setTyped] = useState<string | undefined>();
  const name = typed ?? label;
  const { isBusy, run } = useTask();
  const begin = useVisit();
  const toast = useToast();
  const isChanged = saved === undefined || isEdited || name.trim() !== label;

  const save = () => {
    const visit = begin();
    return run('Couldn’t save the query', async () => {
      const { options: _, ...kept } = saved ?? {};
      const more = isPlain(options) ? {} : { options };
      const query = { ...kept, name: name.trim() || label, source, ...more };
      const id = await saveQuery(database.name, query);
      moveQueryDraft(database.name, saved?._id, id, source);
      writeOptionsDraft(database.name, saved?._id, undefined);
      setTyped((now) => (now === typed ? query.name : now));
      toast(`Saved "${query.name}".`);
      if (saved !== undefined || visit.isOver()) return;
      onFirstSaved({ ...query, _id: id });
      await visit.leadTo(`${pages.query}/${encodeURIComponent(id)}${search}`);
    });
  };

  const remove = (query: StoredQuery) => {
    const visit = begin();
    const queries = savedQueriesOf(database.name);
    return run('Couldn’t remove the query', async () => {
      await queries.del(query._id);
      const undo = () => void run('Couldn’t restore the query', () => queries.put(query));
      toast(`Removed "${label}".`, { undo });
      await visit.leadTo(`${pages.query}${search}`);
    });
  };

  return (
    <form
      className="flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <div className="w-52">
        <TextField label="Query name" value={name} onChange={(event) => setTyped(event.target.value)} />
      </div>
      <Button type="submit" size="field" disabled={isBusy || !isChanged}>
        Save
      </Button>
      {saved !== undefined && (
        <Button size="field" disabled={isBusy} onClick={() => void remove(saved)}>
          Remove
        </Button>
      )}
    </form>
  );
}
