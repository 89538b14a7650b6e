import type { CommitEvent, Database, DocumentChange } from 'fixpoint';
import { useCallback, useEffect, useState } from 'react';
import { failureText } from '../../local/failure-text.ts';
import { ErrorPanel, Skeleton } from '../../ui/feedback.tsx';
import { SideBySide } from '../diff/side-by-side.tsx';

const SHOWN_MAX = 20;

type Changes = readonly DocumentChange[] | { readonly error: unknown };

/** What one commit changed: each document before and after it. */
export function CommitChanges({ database, commit }: { database: Database; commit: CommitEvent }) {
  const changes = useChanges(database, commit);
  if (changes === undefined) return <Skeleton />;
  if ('error' in changes) return <ErrorPanel message={failureText(changes.error)} />;
  if (changes.length === 0) return <p className="text-sm text-muted">It changed no document.</p>;
  return (
    <ul className="flex flex-col gap-3">
      {changes.slice(0, SHOWN_MAX).map(({ id, before, after }) => (
        <li key={id} className="flex flex-col gap-1">
          <h3 className="text-sm">
            <code className="font-mono text-xs break-all">{id}</code>{' '}
            <span className="text-muted">{wordFor(before, after)}</span>
          </h3>
          <SideBySide before={before} after={after} beforeLabel="Before" afterLabel="After" />
        </li>
      ))}
      {changes.length > SHOWN_MAX && (
        <li className="text-sm text-muted">
          and {(changes.length - SHOWN_MAX).toLocaleString('en')} more documents
        </li>
      )}
    </ul>
  );
}

const wordFor = (before: object | undefined, after: object | undefined): string =>
  before === undefined ? 'created' : after === undefined ? 'deleted' : 'changed';

function useChanges(database: Database, { event, parents }: CommitEvent): Changes | undefined {
  const [changes, setChanges] = useState<Changes>();
  const from = parents.join(' ');
  const read = useCallback(
    () => database.diff(from === '' ? [] : from.split(' '), [event]),
    [database, event, from],
  );
  useEffect(() => {
    let isOver = false;
    read().then(
      (found) => !isOver && setChanges(found),
      (error: unknown) => !isOver && setChanges({ error }),
    );
    return () => {
      isOver = true;
    };
  }, [read]);
  return changes;
}
