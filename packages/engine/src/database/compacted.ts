import { FixpointError } from '@fixpoint/protocol';
import type { Head } from '../clock/event.ts';
import type { Commits } from '../commit/commits.ts';
import { isGone } from '../commit/gone.ts';

/**
 * Reads something of the past. What is not there of it was dropped by compaction, if that ever dropped anything; else it was never here, or is damage.
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
 * The same of what a head was. Where no event was ever dropped, one that is not here has not come yet.
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
