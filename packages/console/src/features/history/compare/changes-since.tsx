import type { Database } from 'fixpoint';
import { useCallback } from 'react';
import { EmptyState, Skeleton } from '../../../ui/pages/feedback.tsx';
import { useLoaded } from '../use-loaded.ts';
import { PastProblem } from '../versions/past-problem.tsx';
import { ChangeList } from './change-list.tsx';

/** Compares a past state of a database with the current one, live. */
export function ChangesSince(props: { database: Database; head: readonly string[]; isShared: boolean }) {
  const { database, head, isShared } = props;
  const { value, error } = useLoaded(
    database,
    useCallback(async () => database.diff(head, await database.head()), [database, head]),
  );
  if (error !== undefined) return <PastProblem {...{ error, head, isShared }} />;
  if (value === undefined) return <Skeleton text="Comparing..." />;
  if (value.length === 0) return <EmptyState text="Nothing has changed since this version." />;
  const count = value.length.toLocaleString('en');
  return (
    <section aria-label="Changes since this version" className="flex flex-col gap-3">
      <p role="status" className="text-sm text-ink-3">
        {value.length === 1 ? '1 document has' : `${count} documents have`} changed since this version
      </p>
      <ChangeList changes={value} beforeLabel="Then" afterLabel="Now" />
    </section>
  );
}
