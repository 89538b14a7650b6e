import { FixpointError } from '@fixpoint/protocol';
import type { Head } from '../../clock/event.ts';
import type { Commits } from '../../commit/commits-interface.ts';
import { isGone } from '../../commit/reads.ts';

/**
 * Reads an earlier version or event. If the database ever dropped anything, a missing block counts
 * as dropped by compaction. Otherwise the block was never stored here, or is damaged.
 * @throws FixpointError HISTORY_COMPACTED; MISSING_BLOCK when nothing was ever dropped
 */
export async function readPast<T>(commits: Pick<Commits, 'hasDropped'>, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    if (!isGone(cause) || !commits.hasDropped()) throw cause;
    throw new FixpointError('HISTORY_COMPACTED', 'the option `history` sets how much is kept', {
      cause,
    });
  }
}

/**
 * Reads the database at an earlier head, like {@link readPast}. If no event was ever dropped, a
 * missing event hasn't arrived yet.
 * @throws FixpointError HISTORY_COMPACTED; MISSING_BLOCK when this database doesn't have the head
 */
export async function readPastOf<T>(
  commits: Pick<Commits, 'hasDropped' | 'hasDroppedEvents' | 'archiveOf' | 'readIndexes'>,
  head: Head,
  read: () => Promise<T>,
): Promise<T> {
  await commits.readIndexes();
  const isHere = head.every((event) => commits.archiveOf(event) !== undefined);
  return isHere || commits.hasDroppedEvents() ? readPast(commits, read) : read();
}
