import { FixpointError } from '@fixpoint/protocol';
import type { Head } from '../clock/event.ts';
import type { Commits } from '../commit/commits-interface.ts';
import { isGone } from '../commit/reads.ts';

/**
 * Reads something of the past. A missing block was dropped by compaction if the database ever
 * dropped anything; otherwise it was never here, or is damaged.
 * @throws FixpointError HISTORY_COMPACTED; MISSING_BLOCK when nothing was ever dropped
 */
export async function readPast<T>(commits: Pick<Commits, 'hasDropped'>, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    if (!isGone(cause) || !commits.hasDropped()) throw cause;
    throw new FixpointError('HISTORY_COMPACTED', 'the option `history` says how much of it is kept', {
      cause,
    });
  }
}

/**
 * Reads the database at an earlier head, like {@link readPast}. If no event was ever dropped, an
 * event that is missing hasn't arrived yet.
 * @throws FixpointError HISTORY_COMPACTED; MISSING_BLOCK when the head is not known here
 */
export async function readPastOf<T>(
  commits: Pick<Commits, 'hasDropped' | 'hasDroppedEvents' | 'archiveOf'>,
  head: Head,
  read: () => Promise<T>,
): Promise<T> {
  const isHere = head.every((event) => commits.archiveOf(event) !== undefined);
  return isHere || commits.hasDroppedEvents() ? readPast(commits, read) : read();
}
