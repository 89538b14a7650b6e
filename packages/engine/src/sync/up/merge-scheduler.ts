/**
 * Merges small groups, concurrently with uploads, when headers have grown long: docs/decisions/0043
 * and 0094.
 */
import { isFixpointError, LIMITS } from '@fixpoint/protocol';
import type { Head } from '../../clock/event.ts';
import type { BackOffPlan } from '../back-off.ts';
import { createRunner } from '../job-runner.ts';
import type { ArchiveGroup } from '../ledger/ledger-sealing.ts';
import type { Session } from '../sync-session.ts';
import type { mergeGroups } from './merge-groups.ts';

/** Long waits, because nobody waits for a merge. */
const RETRY: BackOffPlan = { firstMs: 2000, mostMs: 60_000, patientAfter: 100, patientMostMs: 600_000 };

/** Loads the code that merges groups. */
export type LoadMergeGroups = () => Promise<{ readonly mergeGroups: typeof mergeGroups }>;

export interface Merging {
  /**
   * Reports that the remote has everything that this head needs. Starts a merge if headers have
   * grown long.
   */
  sent(head: Head): void;
  /**
   * Returns the replaced groups that the next header announces. Headers no longer need to name
   * these groups.
   */
  replaced(): readonly ArchiveGroup[];
  /** Records that a meta announced these groups. */
  told(groups: readonly ArchiveGroup[]): void;
  /** Resolves when no merge runs. */
  settled(): Promise<void>;
  stop(): void;
}

/**
 * Creates the scheduler.
 * @param untilSent resolves when the current upload is done, which has priority for the bandwidth
 */
export function createMerging(
  session: Session,
  load: LoadMergeGroups,
  untilSent: () => Promise<unknown>,
): Merging {
  /** Unreadable groups, by their archives. Headers continue to list them. */
  const unread = new Set<string>();
  /**
   * Replaced groups not announced yet. Other devices learn of them from the archive that replaces
   * them.
   */
  const untold = new Set<ArchiveGroup>();
  let head: Head | undefined;

  async function job(): Promise<void> {
    const connection = session.connection();
    if (connection === undefined || head === undefined || !session.isReady()) return;
    try {
      const small = session.memory.smallGroups().filter((group) => !unread.has(group.join()));
      if (small.length <= LIMITS.archiveGroupsMax) return;
      await (await load()).mergeGroups(session, connection, {
        head,
        small,
        unread,
        untold,
        untilSent,
      });
    } catch (cause) {
      // The next upload on a new connection resumes the merge.
      if (session.connection() !== connection) return;
      if (!isFixpointError(cause)) session.platform.report(cause);
      throw cause;
    }
  }

  const runner = createRunner(session.platform, RETRY, job, () => undefined);
  return {
    sent: (now) => {
      head = now;
      runner.wake();
    },
    replaced: () => [...untold],
    told: (groups) => {
      for (const group of groups) untold.delete(group);
    },
    settled: runner.settled,
    stop: runner.stop,
  };
}
