/** Notices when a sealed ledger shows an older state than this device has seen of it before. A device that sees it for the first time cannot. */
import { FixpointError } from '@fixpoint/protocol';
import { mergeHeads } from '../clock/advance.ts';
import { type Head, sortHead } from '../clock/event.ts';
import type { Commits } from '../commit/open.ts';
import type { RemoteMemory } from './remote-memory.ts';

/**
 * To be called when all that the remote lists was taken in. Gives an error when the events that were seen there before are no longer covered by what it lists.
 * @param seenBefore the head of the ledger as it was known when the database was attached
 * @throws FixpointError MISSING_BLOCK, CORRUPT when the events cannot be read
 */
export async function rollbackOf(
  { readers }: Commits,
  memory: RemoteMemory,
  seenBefore: Head,
): Promise<FixpointError | undefined> {
  let listed = sortHead([]);
  for (const head of memory.listedHeads()) listed = await mergeHeads(listed, head, readers.event);
  const both = await mergeHeads(listed, seenBefore, readers.event);
  return both.join() === listed.join() ? undefined : new FixpointError('LEDGER_ROLLED_BACK');
}
