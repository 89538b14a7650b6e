import { Skeleton } from '../../../ui/pages/feedback.tsx';
import { Progress } from '../../../ui/progress.tsx';
import type { SyncCounts } from './sync-counts.ts';

/** Shows how much of a ledger this browser has fetched, before it can show the ledger at all. */
export function Fetching({ counts }: { counts: SyncCounts | undefined }) {
  const total = counts === undefined ? 0 : counts.fetched + counts.toFetch;
  if (counts === undefined || total === 0) return <Skeleton />;
  return <Progress label="Fetching the documents:" done={counts.fetched} of={total} noun="parts" />;
}
