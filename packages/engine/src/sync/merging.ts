/** Has small groups merged beside uploads when headers have grown long: docs/decisions/0043 and 0094. */
import { isFixpointError, LIMITS } from '@fixpoint/protocol';
import type { Head } from '../clock/event.ts';
import type { BackOffPlan } from './back-off.ts';
import { getObject, inParallel, putArchive } from './objects.ts';
import type { ArchiveGroup } from './remote-memory.ts';
import { withRetries } from './retries.ts';
import { createRunner } from './runner.ts';
import type { Session } from './session.ts';

/** Nobody waits for it. */
const RETRY: BackOffPlan = { firstMs: 2000, mostMs: 60_000, patientAfter: 100, patientMostMs: 600_000 };

/** Given to what is loaded later: what two scripts import becomes a third one. */
const remote = { getObject, inParallel, putArchive, withRetries };
export type MergeRemote = typeof remote;

export interface Merging {
  /** The remote has all that this head needs, and its headers may have grown long. */
  sent(head: Head): void;
  /** Groups that no header has to name any more, since something else holds their blocks; for the next header to tell. */
  replaced(): readonly ArchiveGroup[];
  /** A meta has told of these. */
  told(groups: readonly ArchiveGroup[]): void;
  /** Resolves when nothing runs. */
  settled(): Promise<void>;
  stop(): void;
}

/** @param untilSent resolves when what is being sent now has gone out: whatever else uses the line lets it pass */
export function createMerging(session: Session, untilSent: () => Promise<void>): Merging {
  /** Groups that could not be read, by their archives; they stay listed as they are. */
  const unread = new Set<string>();
  /** Only told of by whoever made it: readers find the same in the archive that replaces them. */
  const untold = new Set<ArchiveGroup>();
  let head: Head | undefined;

  async function job(): Promise<void> {
    const connection = session.connection();
    if (connection === undefined || head === undefined || !session.isReady()) return;
    try {
      const small = session.memory.smallGroups().filter((group) => !unread.has(group.join()));
      if (small.length <= LIMITS.archiveGroupsMax) return;
      const { mergeGroups } = await import('./seldom.ts');
      await mergeGroups(session, connection, { head, small, unread, untold, untilSent, remote });
    } catch (cause) {
      // With the next connection something is sent again, and then this goes on.
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
