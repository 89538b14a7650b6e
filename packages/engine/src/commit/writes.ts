/**
 * The two paths of a write: into the log in front of commits, or directly into a commit. Several
 * waiting writes share a commit.
 */
import { isFixpointError } from '@fixpoint/protocol';
import type { Pace } from '../base/pace.ts';
import type { Turns } from '../base/turns.ts';
import type { Attempts } from './attempts.ts';
import { commit } from './commit.ts';
import { type CurrentHead, reloadHead } from './current-head.ts';
import type { OpenLog, WriteLog } from './pending/write-log-interface.ts';
import { createMergeWrites } from './write-merge.ts';
import { areDeletions, createWriteQueue, type MakeOperations, type Write } from './write-queue.ts';

const OPERATIONS_PER_COMMIT_MAX = 5000;

export interface WritesParts {
  readonly head: CurrentHead;
  readonly pace: Pace;
  readonly exclusive: Turns;
  readonly attempts: Attempts['attempts'];
  readonly log: Pick<OpenLog, 'takes' | 'append' | 'appended' | 'settleInTurn'>;
  /** Called after each commit. */
  readonly committed: () => void;
  /** Frees space for deletions on a full disk. */
  readonly free: () => Promise<void>;
}

/** Returns the functions that make writes durable. */
export function createWrites(parts: WritesParts): {
  write(operations: Write): Promise<void>;
  writeMerge(make: MakeOperations): Promise<boolean>;
} {
  return {
    write: inCallOrder(parts.log, createDirectWrites(parts)),
    writeMerge: createMergeWrites(parts),
  };
}

/** Passes each write to the log if the log takes it, else to `direct`. Keeps their order. */
export function inCallOrder(
  log: Pick<WriteLog, 'takes' | 'append' | 'appended'>,
  direct: (operations: Write) => Promise<void>,
): (operations: Write) => Promise<void> {
  let directs = 0;
  return async (operations) => {
    // While a direct write is pending, later writes are direct too, because they come after it.
    if (directs === 0 && log.takes(operations)) return log.append(operations);
    directs += 1;
    try {
      await log.appended();
      await direct(operations);
    } finally {
      directs -= 1;
    }
  };
}

function createDirectWrites({
  head,
  pace,
  exclusive,
  attempts,
  log,
  committed,
  free,
}: WritesParts): (operations: Write) => Promise<void> {
  return createWriteQueue({
    exclusive,
    commit: async (operations) => {
      const isMade = typeof operations === 'function';
      try {
        // First commit the pending writes of all tabs.
        await log.settleInTurn({ lookForOthers: isMade });
      } catch (cause) {
        if (isMade || !areDeletions(operations) || !isFixpointError(cause, 'STORE_FULL')) throw cause;
        // The space reserved for pending writes was not enough. Nothing could be deleted if
        // deletions had to wait for these writes.
        return log.settleInTurn({ deletions: operations });
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
