import { isFixpointError } from '@fixpoint/protocol';
import type { CommitEvent, Database, DocumentChange } from 'fixpoint';
import { useCallback, useEffect, useState } from 'react';
import { ErrorPanel, Skeleton } from '../../../ui/pages/feedback.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';
import { ChangedDocuments } from './changed-documents.tsx';

type Changes = readonly DocumentChange[] | { readonly error: unknown };

interface CommitChangesProps {
  readonly database: Database;
  readonly commit: CommitEvent;
  readonly docsPath: string;
}

/** Shows what one commit changed: the changed fields of each document. */
export function CommitChanges({ database, commit, docsPath }: CommitChangesProps) {
  const changes = useChanges(database, commit);
  if (changes === undefined)
    return (
      <div className="px-4">
        <Skeleton />
      </div>
    );
  if ('error' in changes && isFixpointError(changes.error, 'HISTORY_COMPACTED'))
    return (
      <p className="px-4 py-3 text-sm text-ink-3">
        Compaction removed the previous version on this device, so the changes of this commit can’t be shown.
      </p>
    );
  if ('error' in changes) return <ErrorPanel message={failureText(changes.error)} />;
  if (changes.length === 0)
    return <p className="px-4 py-3 text-sm text-ink-3">This commit changed no documents.</p>;
  return <ChangedDocuments {...{ changes, docsPath }} />;
}

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
