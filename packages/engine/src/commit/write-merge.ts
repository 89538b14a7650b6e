import type { Turns } from '../base/turns.ts';
import type { Attempts } from './attempts.ts';
import { commit } from './commit.ts';
import { type CurrentHead, reloadHead } from './current-head.ts';
import type { OpenLog } from './pending/write-log-interface.ts';
import type { MakeOperations } from './write-queue.ts';

interface MergeParts {
  readonly head: CurrentHead;
  readonly exclusive: Turns;
  readonly attempts: Attempts['attempts'];
  readonly log: Pick<OpenLog, 'settleInTurn'>;
  /** Called after each commit. */
  readonly committed: () => void;
}

/** Returns the function that commits an event that merges concurrent versions. */
export function createMergeWrites({
  head,
  exclusive,
  attempts,
  log,
  committed,
}: MergeParts): (make: MakeOperations) => Promise<boolean> {
  return (make) =>
    exclusive(async () => {
      await log.settleInTurn();
      // The hint of another tab's merge may not have arrived.
      await reloadHead(head);
      let isWritten = false;
      await attempts(async () => {
        const made = await make(head.snapshot);
        isWritten = made.length > 0 && (await commit(head, made, { isMerge: true }));
        return isWritten || made.length === 0;
      });
      if (isWritten) committed();
      return isWritten;
    });
}
