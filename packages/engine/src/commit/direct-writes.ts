/** Commits writes directly, several waiting writes at a time. */
import { isFixpointError } from '@fixpoint/protocol';
import type { Pace } from '../base/pace.ts';
import type { Turns } from '../base/turns.ts';
import type { Attempts } from './attempts.ts';
import { commit } from './commit.ts';
import { type CurrentHead, reloadHead } from './current-head.ts';
import type { WriteLog } from './pending/write-log-interface.ts';
import { areDeletions, createWriteQueue, type Write } from './write-queue.ts';

const OPERATIONS_PER_COMMIT_MAX = 5000;

export interface DirectWritesParts {
  readonly head: CurrentHead;
  readonly pace: Pace;
  readonly exclusive: Turns;
  readonly attempts: Attempts['attempts'];
  /** Commits the pending writes of all tabs, in a turn of `exclusive`. They come first. */
  readonly settle: WriteLog['settleInTurn'];
  /** Called after each commit. */
  readonly committed: () => void;
  /** Frees space for deletions on a full disk. */
  readonly free: () => Promise<void>;
}

/** Creates the queue of writes that don't go through the log in front of commits. */
export function createDirectWrites({
  head,
  pace,
  exclusive,
  attempts,
  settle,
  committed,
  free,
}: DirectWritesParts): (operations: Write) => Promise<void> {
  return createWriteQueue({
    exclusive,
    commit: async (operations) => {
      const isMade = typeof operations === 'function';
      try {
        await settle({ lookForOthers: isMade });
      } catch (cause) {
        if (isMade || !areDeletions(operations) || !isFixpointError(cause, 'STORE_FULL')) throw cause;
        // The space reserved for pending writes was not enough. Nothing could be deleted if
        // deletions had to wait for these writes.
        return settle({ deletions: operations });
      }
      // The hint of another tab's newest commit may not have arrived.
      if (isMade) await reloadHead(head);
      await attempts(async () => {
        const made = typeof operations === 'function' ? await operations(head.snapshot) : operations;
        return made.length === 0 || commit(head, made);
      });
      committed();
    },
    operationsMax: OPERATIONS_PER_COMMIT_MAX,
    pace,
    free,
  });
}
