import { isFixpointError } from '@fixpoint/protocol';
import { changesSince } from '../clock/changes-since.ts';
import type { Head } from '../clock/event.ts';
import { diffTries } from '../trie/diff.ts';
import type { Readers, Snapshot } from './snapshot.ts';

/**
 * Returns the documents that may differ between two snapshots; newly written ones come first,
 * oldest first.
 * @throws FixpointError CORRUPT, MISSING_BLOCK
 */
export async function writtenSince(
  readers: Readers,
  before: Snapshot,
  { head, root }: Snapshot,
): Promise<readonly string[]> {
  const keys = async (since: Head) => (await changesSince(head, since, readers.event)).map(({ key }) => key);
  try {
    const written = new Set(await keys(before.head));
    // Concurrent events affect the order of known writes, so a different one may win now.
    for await (const { key } of diffTries(readers.shard, before.root, root)) written.add(key);
    return [...written];
  } catch (cause) {
    // The events in between were dropped: any document may have changed.
    if (!isFixpointError(cause, 'MISSING_BLOCK')) throw cause;
    return keys([]);
  }
}
