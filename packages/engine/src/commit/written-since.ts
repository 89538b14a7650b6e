import { isFixpointError } from '@fixpoint/protocol';
import { changesSince } from '../clock/changes-since.ts';
import type { Head } from '../clock/event.ts';
import { diffTries } from '../trie/diff.ts';
import type { Readers, Snapshot } from './snapshot.ts';

/** The documents that may be others in a snapshot than in one before it; those that were written first, the oldest first. @throws FixpointError CORRUPT, MISSING_BLOCK */
export async function writtenSince(
  readers: Readers,
  before: Snapshot,
  { head, root }: Snapshot,
): Promise<readonly string[]> {
  const keys = async (since: Head) => (await changesSince(head, since, readers.event)).map(({ key }) => key);
  try {
    const written = new Set(await keys(before.head));
    // Of writes that were known before, another one may win now: what else is concurrent to them decides their order.
    for await (const { key } of diffTries(readers.shard, before.root, root)) written.add(key);
    return [...written];
  } catch (cause) {
    // What lies between was dropped: any document may have changed.
    if (!isFixpointError(cause, 'MISSING_BLOCK')) throw cause;
    return keys([]);
  }
}
