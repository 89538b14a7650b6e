import { isFixpointError } from '@fixpoint/protocol';
import type { CommitEvent, Database, DocumentChange } from 'fixpoint';
import { useCallback, useEffect, useState } from 'react';
import { ErrorPanel, Skeleton } from '../../../ui/pages/feedback.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';
import { ChangeList } from '../compare/change-list.tsx';

type Changes = readonly DocumentChange[] | { readonly error: unknown };

/** Shows what one commit changed: each document before and after. */
export function CommitChanges({ database, commit }: { database: Database; commit: CommitEvent }) {
  const changes = useChanges(database, commit);
  if (changes === undefined) return <Skeleton />;
  if ('error' in changes && isFixpointError(changes.error, 'HISTORY_COMPACTED'))
    return (
      <p className="text-sm text-ink-3">
        Compaction removed the previous version on this device, so the changes of this commit can’t be shown.
      </p>
    );
  if ('error' in changes) return <ErrorPanel message={failureText(changes.error)} />;
  if (changes.length === 0) return <p className="text-sm text-ink-3">This commit changed no documents.</p>;
  return <ChangeList changes={changes} beforeLabel="Before" afterLabel="After" />;
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
