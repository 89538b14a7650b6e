import type { Database } from 'fixpoint';
import { useCallback } from 'react';
import { EmptyState, Skeleton } from '../../ui/feedback.tsx';
import { ChangeList } from './change-list.tsx';
import { PastProblem } from './past-problem.tsx';
import { useLoaded } from './use-loaded.ts';

/** A past state of a database beside what it is now, live. */
export function ChangesSince(props: { database: Database; head: readonly string[]; isShared: boolean }) {
  const { database, head, isShared } = props;
  const { value, error } = useLoaded(
    database,
    useCallback(async () => {
      // Until then the head of now is not known.
      await database.ready();
      return database.diff(head, database.head);
    }, [database, head]),
  );
  if (error !== undefined) return <PastProblem {...{ error, head, isShared }} />;
  if (value === undefined) return <Skeleton text="Comparing..." />;
  if (value.length === 0) return <EmptyState text="Nothing differs from then." />;
  const count = value.length.toLocaleString('en');
  return (
    <section aria-label="What changed since" className="flex flex-col gap-3">
      <p role="status" className="text-sm text-muted">
        {value.length === 1 ? '1 document differs' : `${count} documents differ`} from then
      </p>
      <ChangeList changes={value} beforeLabel="Then" afterLabel="Now" />
    </section>
  );
}
