import type { Database } from 'fixpoint';
import { GitMerge } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'react-router';
import { documentPath } from '../../../local/document-path.ts';
import { Button } from '../../../ui/button.tsx';
import { ErrorPanel } from '../../../ui/pages/feedback.tsx';
import { Card } from '../../../ui/pages/page.tsx';
import { Progress } from '../../../ui/progress.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';
import { shownId } from '../../../values/shown-id.ts';
import { Conflict } from './conflict-panel.tsx';
import { type FoundConflict, findConflicts } from './find-conflicts.ts';

interface Search {
  readonly state: 'none' | 'running' | 'done';
  readonly looked: number;
  readonly found: readonly FoundConflict[];
  readonly error?: unknown;
}

/** Searches for documents with conflicts, and lets the user resolve each conflict. */
export function ConflictSearch({ database, docsPath }: { database: Database; docsPath: string }) {
  const [search, setSearch] = useState<Search>({ state: 'none', looked: 0, found: [] });
  const ending = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => ending.current?.abort(), []);
  const run = async () => {
    ending.current?.abort();
    const controller = new AbortController();
    ending.current = controller;
    const { signal } = controller;
    const show = (next: Partial<Search>) => !signal.aborted && setSearch((now) => ({ ...now, ...next }));
    setSearch({ state: 'running', looked: 0, found: [] });
    try {
      const found = await findConflicts(database, {
        signal,
        onProgress: (looked, sofar) => show({ looked, found: sofar }),
      });
      show({ state: 'done', found });
    } catch (error) {
      show({ state: 'done', error });
    }
  };
  const { state, looked, found, error } = search;
  const settled = (id: string) =>
    setSearch((now) => ({ ...now, found: now.found.filter((one) => one.id !== id) }));
  useSettled(database, found, settled);
  return (
    <Card
      title="Conflicts"
      lead="Finds documents that were changed on several devices at the same time."
      actions={
        <Button disabled={state === 'running'} onClick={() => void run()}>
          <GitMerge size={14} aria-hidden /> Find conflicts
        </Button>
      }
    >
      {state === 'none' && <p className="text-sm text-muted">Not searched yet.</p>}
      {state === 'running' && (
        <Progress
          label="Searching"
          done={looked}
          onCancel={() => {
            ending.current?.abort();
            setSearch({ ...search, state: 'done' });
          }}
        />
      )}
      {error !== undefined && <ErrorPanel message={failureText(error)} />}
      {state === 'done' && error === undefined && found.length === 0 && (
        <p role="status" className="text-sm text-muted">
          No conflicts found.
        </p>
      )}
      <ul className="flex flex-col gap-4">
        {found.map(({ id, conflicts }) => (
          <li key={id} className="flex flex-col gap-1.5">
            <Link
              to={documentPath(docsPath, id)}
              className="font-mono text-xs break-all text-accent hover:underline"
            >
              {shownId(id)}
            </Link>
            <Conflict database={database} id={id} conflicts={conflicts} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Calls `settled` for each found conflict that was resolved, here or elsewhere. */
function useSettled(
  database: Database,
  found: readonly FoundConflict[],
  settled: (id: string) => void,
): void {
  const latest = useRef({ found, settled });
  latest.current = { found, settled };
  useEffect(
    () =>
      database.subscribe(() => {
        for (const { id } of latest.current.found)
          database.conflicts(id).then(
            (still) => still === undefined && latest.current.settled(id),
            // A failed check is retried after the next change.
            () => undefined,
          );
      }),
    [database],
  );
}
