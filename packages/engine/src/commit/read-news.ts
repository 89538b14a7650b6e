import type { Pace } from '../base/pace.ts';
import { changesSince } from '../clock/changes-since.ts';
import { noteDeleted } from '../documents/deletions.ts';
import { decodeDocument } from '../documents/encode.ts';
import { diffTries } from '../trie/diff.ts';
import type { Readers, Snapshot } from './snapshot.ts';

/**
 * Reads all that a snapshot has and the one before it has not, its events and its documents; gives the ids of documents that may be others. What comes from
 * elsewhere is not taken in before: a member who may write could else name what is nowhere, or is no document, and every list of all documents would fail from then on.
 * @param readers of the next one
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function readNews(
  readers: Readers,
  before: Snapshot,
  next: Snapshot,
  pace: Pace,
): Promise<readonly string[]> {
  const ids = new Set((await changesSince(next.head, before.head, readers.event)).map(({ key }) => key));
  // Of writes that were known before, another one may win now: what else is concurrent to them decides their order.
  for await (const { key, after } of diffTries(readers.shard, before.root, next.root)) {
    ids.add(key);
    if (after !== undefined && 'deleted' in decodeDocument(await readers.block(after))) noteDeleted(after);
    if (pace.isDue()) await pace.rest();
  }
  return [...ids];
}
