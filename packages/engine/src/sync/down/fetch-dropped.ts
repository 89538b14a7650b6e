/**
 * Fetches blocks that compaction dropped here and that a merge needs. A remote keeps every block
 * (docs/decisions/0043).
 */

import { type FixpointError, isFixpointError } from '@fixpoint/protocol';
import { append } from '../../base/append.ts';
import type { Cid } from '../../codec/cid.ts';
import { stagedKey } from '../../store/names.ts';
import type { ArchiveGroup } from '../ledger/ledger-sealing.ts';
import type { Session } from '../sync-session.ts';
import type { Fetching } from './archive-fetches.ts';

/**
 * Fetches the remote's other archives, then merges again. Does this only once in a session for each
 * missing block, because a block that the remote doesn't have stays missing.
 * @param named groups that the header of the entry names
 * @throws FixpointError any error of `merge`; in that case, compaction may drop the fetched
 * archives again
 */
export async function mergeWithDropped(
  { commits, memory, searched }: Session,
  fetching: Fetching,
  named: readonly ArchiveGroup[],
  missing: FixpointError,
  merge: () => Promise<void>,
): Promise<void> {
  if (!commits.hasDropped() || searched.has(missing.message)) throw missing;
  const brought: Cid[] = [];

  async function mergeWith(groups: readonly ArchiveGroup[]): Promise<void> {
    const absent = groups.flat().filter((cid) => !commits.hasArchive(cid));
    append(brought, absent);
    await fetching.bring(absent, commits.hasArchive);
    await merge();
  }

  try {
    await mergeWith([...named, ...memory.groups()]).catch((cause) => {
      if (!isFixpointError(cause, 'MISSING_BLOCK')) throw cause;
      // A member may have claimed that one group replaced another, although the new group lacks
      // blocks of the old one.
      return mergeWith([...memory.groupsIn('replaced'), ...fetching.replaced()]);
    });
  } catch (cause) {
    const isVerdict = isFixpointError(cause, 'MISSING_BLOCK') || isFixpointError(cause, 'CORRUPT');
    if (isVerdict && !isFixpointError(fetching.failure(), 'GATEWAY_GET')) searched.add(missing.message);
    const rows = brought.map((cid) => ({ key: stagedKey(cid), bytes: undefined }));
    await commits.markUploaded([], rows);
    throw cause;
  }
}
