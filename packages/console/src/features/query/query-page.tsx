import { useLiveQuery } from '@fixpoint/react';
import type { Database, QueryResult, TypedMap } from 'fixpoint';
import { lazy, Suspense, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { DEFAULT_MAP, labelOf, type SavedQuery, savedQueriesOf } from '../../local/saved-queries.ts';
import { Button } from '../../ui/button.tsx';
import { Card, ErrorPanel, Skeleton } from '../../ui/feedback.tsx';
import { TextField } from '../../ui/form.tsx';
import { useToast } from '../../ui/toaster.tsx';
import { previewOf } from '../documents/columns.ts';

const CodeEditor = lazy(async () => ({ default: (await import('../../ui/code-editor.tsx')).CodeEditor }));
const ROWS_SHOWN_MAX = 500;

interface Outcome {
  readonly result?: QueryResult;
  readonly error?: string;
  readonly tookMs: number;
}

export interface QueryPageProps {
  readonly database: Database;
  readonly name: string;
  readonly queryId: string | undefined;
  readonly basePath: string;
}

/** A map function in an editor, and what it gives for the documents of a database. */
export function QueryPage({ database, name, queryId, basePath }: QueryPageProps) {
  const saved = savedQueriesOf(name);
  const queries = useLiveQuery<SavedQuery>(saved, '_id');
  const chosen = queries.docs.find(({ _id }) => _id === queryId);
  if (queryId !== undefined && !queries.hydrated) return <Skeleton />;
  return (
    <QueryEditor
      key={queryId ?? 'new'}
      {...{ database, saved, queryId, basePath, chosen }}
      count={queries.docs.length}
    />
  );
}

function QueryEditor(props: {
  database: Database;
  saved: Database;
  queryId: string | undefined;
  basePath: string;
  chosen: SavedQuery | undefined;
  count: number;
}) {
  const { database, saved, queryId, basePath, chosen, count } = props;
  const [source, setSource] = useState(chosen?.source ?? DEFAULT_MAP);
  const [name, setName] = useState(chosen?.name ?? labelOf({}, count));
  const [outcome, setOutcome] = useState<Outcome | 'running' | undefined>();
  const navigate = useNavigate();
  const toast = useToast();

  const run = async () => {
    setOutcome('running');
    const started = performance.now();
    const took = () => performance.now() - started;
    const map: TypedMap = { source };
    await database.query(map).then(
      (result) => setOutcome({ result, tookMs: took() }),
      (error: Error) => setOutcome({ error: error.message, tookMs: took() }),
    );
  };

  const save = () =>
    saved.put({ ...(queryId && { _id: queryId }), name, source }).then(
      ({ id }) => {
        toast(`${name} is saved.`);
        if (queryId === undefined) void navigate(`${basePath}/query/${encodeURIComponent(id)}`);
      },
      (error: Error) => toast(`Not saved: ${error.message}`, { tone: 'error' }),
    );

  return (
    <div className="flex flex-col gap-4">
      <Card>
        <Suspense fallback={<Skeleton />}>
          <CodeEditor
            label="Map function"
            language="javascript"
            value={source}
            onChange={setSource}
            onRun={() => void run()}
          />
        </Suspense>
        <div className="mt-3 flex flex-wrap items-end gap-2">
          <Button tone="primary" onClick={() => void run()}>
            Query
          </Button>
          <div className="w-56">
            <TextField
              label="Name of the query"
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          </div>
          <Button onClick={() => void save()}>Save</Button>
          <span className="text-xs text-muted">Ctrl or ⌘ + Enter runs it.</span>
        </div>
      </Card>
      {outcome === 'running' && <Skeleton />}
      {outcome !== undefined && outcome !== 'running' && <Results {...outcome} basePath={basePath} />}
    </div>
  );
}

function Results({ result, error, tookMs, basePath }: Outcome & { basePath: string }) {
  const [shown, setShown] = useState(ROWS_SHOWN_MAX);
  if (error !== undefined) return <ErrorPanel message={error} />;
  const rows = result?.rows ?? [];
  return (
    <section aria-label="Results">
      <p className="mb-2 text-xs text-muted" role="status">
        {rows.length} rows in {Math.round(tookMs)} ms
      </p>
      <div className="overflow-x-auto rounded-lg border border-line bg-surface">
        <table className="w-full text-sm">
          <thead className="bg-raised text-left">
            <tr>
              {['key', 'value', 'document'].map((label) => (
                <th key={label} scope="col" className="border-b border-line px-3 py-2 font-medium">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown).map((row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a document may emit the same key and value twice
              <tr key={at} className="border-b border-line last:border-0">
                <td className="max-w-64 truncate px-3 py-2">{previewOf(row.key)}</td>
                <td className="max-w-96 truncate px-3 py-2 text-muted">{previewOf(row.value)}</td>
                <td className="px-3 py-2">
                  <Link
                    className="font-mono text-xs text-accent hover:underline"
                    to={`${basePath}/docs/${encodeURIComponent(row.id)}`}
                  >
                    {row.id}
                  </Link>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > shown && (
        <Button className="mt-3" onClick={() => setShown(shown + ROWS_SHOWN_MAX)}>
          Show {Math.min(ROWS_SHOWN_MAX, rows.length - shown)} more
        </Button>
      )}
    </section>
  );
}
