/** Commits writes directly, several waiting writes at a time. */
import type { Pace } from '../base/pace.ts';
import type { Turns } from '../base/turns.ts';
import type { Attempts } from './attempts.ts';
import { commit } from './commit.ts';
import type { Maintenance } from './compaction/maintenance.ts';
import type { CurrentHead } from './current-head.ts';
import { createWriteQueue, type Operation } from './write-queue.ts';

const OPERATIONS_PER_COMMIT_MAX = 5000;

export interface DirectWritesParts {
  readonly head: CurrentHead;
  /** Shared with merges, so that a long series of both yields to the event loop. */
  readonly pace: Pace;
  readonly exclusive: Turns;
  readonly attempts: Attempts['attempts'];
  readonly maintenance: Maintenance;
}

/** Creates the queue of writes that don't go through the log in front of commits. */
export function createDirectWrites(
  { head, pace, exclusive, attempts, maintenance }: DirectWritesParts,
  settleInTurn: () => Promise<void>,
): (operations: readonly Operation[]) => Promise<void> {
  return createWriteQueue({
    exclusive,
    commit: async (operations) => {
      await settleInTurn();
      await attempts(() => commit(head, operations));
      maintenance.committed();
    },
    operationsMax: OPERATIONS_PER_COMMIT_MAX,
    pace: {
      // Reads of a sweep queue: commits yield to them, or the sweep starves and blocks merges.
      isDue: () => maintenance.isSweeping() || pace.isDue(),
      rest: pace.rest,
    },
    free: maintenance.compact,
  });
}
