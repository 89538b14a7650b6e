/**
 * Compares a ledger's listing with what this database sent. A server restored from an older backup
 * lists less, and receives the rest again.
 */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { mergeHeads } from '../../clock/advance.ts';
import { type Head, sortHead } from '../../clock/event.ts';
import { headsIn } from '../down/ledger-holdings.ts';
import type { SyncParts } from '../sync-progress.ts';
import type { Session } from '../sync-session.ts';

/**
 * Compares a complete listing that seems to lack the head; call it once everything that the remote
 * lists was merged. Returns whether the remote lost some of the data that this database sent and
 * must send again.
 * @throws any error of `compareListed`
 */
export async function isHeadLost(parts: SyncParts, head: Head, doubt: number | undefined): Promise<boolean> {
  const { session } = parts;
  const { listed } = session;
  const { isLost, rollback } = await compareListed(session, head);
  // A complete listing that started since then is compared after it was merged.
  if (listed.doubt() !== doubt) return false;
  if (rollback !== undefined) {
    parts.rollback = rollback;
    session.platform.report(rollback);
  }
  if (isLost) session.sealing().tellAgain();
  if (doubt !== undefined) listed.compared(doubt);
  return isLost;
}

interface Comparison {
  /** Whether the listed entries lack some event of the head. */
  readonly isLost: boolean;
  /**
   * Set if a sealed ledger shows an older state than this device has seen before. A device that
   * attaches for the first time can't detect this.
   */
  readonly rollback: FixpointError | undefined;
}

/**
 * Compares the listing; call it once everything that the remote lists was merged.
 * @throws FixpointError MISSING_BLOCK, CORRUPT when events can't be read, or when the link fails
 */
async function compareListed(session: Session, head: Head): Promise<Comparison> {
  const { commits, memory, listed } = session;
  // Entries of existing clients have no head, so their heads are read from archives.
  const silent = listed
    .contents()
    .flatMap(({ head: named, group }) => (named.length === 0 ? [group[0]] : []));
  for (const said of await headsIn(session, silent)) listed.spoken(said);
  const isLost = !listed.covers(head);
  if (!isLost || memory.kind() !== 'sealed') return { isLost, rollback: undefined };
  const { event } = commits.readers;
  const isHere = (cid: Head[number]) => commits.archiveOf(cid) !== undefined;
  const there = await mergeHeads(sortHead(listed.heads().flat().filter(isHere)), sortHead([]), event);
  try {
    const both = await mergeHeads(there, memory.seen(), event);
    const rollback = both.join() === there.join() ? undefined : new FixpointError('LEDGER_ROLLED_BACK');
    return { isLost, rollback };
  } catch (cause) {
    // Compaction dropped seen events that this device doesn't accept.
    if (!isFixpointError(cause, 'MISSING_BLOCK')) throw cause;
    return { isLost, rollback: undefined };
  }
}
