import type { BridgedDatabase } from 'fixpoint/bridge';
import type { FieldUses } from 'fixpoint/rows';
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import { failureText } from '../../local/failure-text.ts';
import {
  freeLabel,
  labelOf,
  type StoredQuery,
  savedQueriesOf,
  saveQuery,
} from '../../local/saved-queries.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { ErrorPanel, NotFound, Skeleton } from '../../ui/feedback.tsx';
import { Checkbox, TextField } from '../../ui/form.tsx';
import { useToast } from '../../ui/toaster.tsx';
import type { Known } from '../editor/code-editor.tsx';
import { DEFAULT_MAP, readQueryDraft, writeQueryDraft } from './query-draft.ts';
import { QueryResults } from './query-results.tsx';
import { PREVIEW_ROWS, useQueryRun } from './use-query-run.ts';
import { useRunOnTyping } from './use-run-on-typing.ts';
import { useSavedQueries } from './use-saved-queries.ts';

const CodeEditor = lazy(async () => ({ default: (await import('../editor/code-editor.tsx')).CodeEditor }));

export interface QueryPageProps {
  readonly database: BridgedDatabase;
  /** The saved query that is open; undefined for a new one. */
  readonly queryId: string | undefined;
  /** The page of the database. */
  readonly path: string;
}

/** A map function in an editor, and what it gives for the documents of a database. Nothing runs before it is asked to. */
export function QueryPage({ database, queryId, path }: QueryPageProps) {
  const { loaded, queries, error } = useSavedQueries(database.name);
  if (error !== undefined) return <ErrorPanel message={failureText(error)} />;
  if (!loaded) return <Skeleton />;
  const at = queries.findIndex(({ _id }) => _id === queryId);
  if (queryId !== undefined && at < 0)
    return (
      <NotFound>
        <p className="w-full text-muted">This query is not saved here. It may have been deleted.</p>
        <LinkButton to={`${path}/query`}>New query</LinkButton>
      </NotFound>
    );
  const saved = queries[at];
  const label = saved === undefined ? freeLabel(queries) : labelOf(saved, at);
  return <QueryEditor key={queryId ?? ''} database={database} path={path} saved={saved} label={label} />;
}

interface QueryEditorProps {
  readonly database: BridgedDatabase;
  readonly path: string;
  readonly saved: StoredQuery | undefined;
  readonly label: string;
}

function QueryEditor({ database, path, saved, label }: QueryEditorProps) {
  const savedSource = typeof saved?.source === 'string' ? saved.source : undefined;
  const [source, setSource] = useState(
    () => readQueryDraft(database.name, saved?._id) ?? savedSource ?? DEFAULT_MAP,
  );
  const [revision, setRevision] = useState(0);
  const { run, start, preview, cancel } = useQueryRun(database);
  const asYouType = useRunOnTyping(preview);
  const known = useKnownFields(database);
  const isEdited = savedSource !== undefined && source !== savedSource;
  const change = (text: string) => {
    setSource(text);
    writeQueryDraft(database.name, saved?._id, text === (savedSource ?? DEFAULT_MAP) ? undefined : text);
  };
  const typed = (text: string) => {
    change(text);
    asYouType.typed(text);
  };
  const runAll = () => {
    asYouType.stop();
    void start(source);
  };
  const revert = () => {
    change(savedSource ?? DEFAULT_MAP);
    setRevision(revision + 1);
  };
  return (
    <div className="flex flex-col gap-4">
      <Suspense fallback={<Skeleton />}>
        <CodeEditor
          label="Map function"
          language="javascript"
          text={source}
          revision={revision}
          onText={typed}
          known={known}
          onRun={runAll}
        />
      </Suspense>
      <div className="flex flex-wrap items-end gap-2">
        <Button tone="primary" onClick={runAll}>
          Query
        </Button>
        {run.state === 'running' && <Button onClick={cancel}>Cancel</Button>}
        <div className="mr-auto flex flex-col gap-0.5 self-center">
          <Checkbox
            label={`Show the first ${PREVIEW_ROWS} rows while I type`}
            checked={asYouType.isOn}
            onChange={(event) => asYouType.turn(event.target.checked)}
          />
          <p className="text-xs text-muted max-sm:hidden">
            Ctrl + Enter or ⌘ + Enter runs the whole query. Ctrl + Space completes.
          </p>
        </div>
        {isEdited && <Button onClick={revert}>Revert</Button>}
        <SaveForm {...{ database, path, saved, label, source, isEdited }} />
      </div>
      <QueryResults run={run} database={database} basePath={`${path}/docs`} />
    </div>
  );
}

/** The fields of the documents, for the editor to complete. */
function useKnownFields(database: BridgedDatabase): readonly Known[] {
  const [uses, setUses] = useState<FieldUses>([]);
  useEffect(() => database.rows.onFields(setUses), [database]);
  return useMemo(
    () =>
      uses.map(({ field, documents }) => ({
        name: field,
        detail: `${documents.toLocaleString('en')} ${documents === 1 ? 'document' : 'documents'}`,
      })),
    [uses],
  );
}

function SaveForm(props: QueryEditorProps & { source: string; isEdited: boolean }) {
  const { database, path, saved, label, source, isEdited } = props;
  const [name, setName] = useState(label);
  const [saving, setSaving] = useState(false);
  const navigate = useNavigate();
  const toast = useToast();
  const isChanged = saved === undefined || isEdited || name.trim() !== label;

  const save = async () => {
    setSaving(true);
    try {
      const query = { ...saved, name: name.trim() || label, source };
      const id = await saveQuery(database.name, query);
      writeQueryDraft(database.name, saved?._id, undefined);
      toast(`"${query.name}" is saved.`);
      if (saved === undefined) await navigate(`${path}/query/${encodeURIComponent(id)}`);
    } catch (error) {
      toast(`The query was not saved: ${failureText(error)}`, { tone: 'error' });
    } finally {
      setSaving(false);
    }
  };

  const remove = async (query: StoredQuery) => {
    const queries = savedQueriesOf(database.name);
    const failed = (error: unknown) => toast(`It did not work: ${failureText(error)}`, { tone: 'error' });
    try {
      await queries.del(query._id);
      toast(`"${label}" is removed.`, {
        action: { label: 'Undo', run: () => void queries.put(query).catch(failed) },
      });
      await navigate(`${path}/query`);
    } catch (error) {
      failed(error);
    }
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
        <TextField label="Query name" value={name} onChange={(event) => setName(event.target.value)} />
      </div>
      <Button type="submit" disabled={saving || !isChanged}>
        Save
      </Button>
      {saved !== undefined && (
        <Button tone="danger" onClick={() => void remove(saved)}>
          Remove
        </Button>
      )}
    </form>
  );
}
