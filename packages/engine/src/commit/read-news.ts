import type { Pace } from '../base/pace.ts';
import { changesSince } from '../clock/changes-since.ts';
import { noteDeleted } from '../documents/deletions.ts';
import { decodeDocument } from '../documents/encode.ts';
import { diffTries } from '../trie/diff.ts';
import type { Readers, Snapshot } from './snapshot.ts';

/**
 * Reads and checks all events and documents that the next snapshot has and the previous one lacks.
 * Returns the ids of documents that may have changed. Without this check, a member with write
 * access could name a missing block or an invalid document, and every listing of all documents
 * would fail.
 * @param readers readers of the next snapshot
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function readNews(
  readers: Readers,
  before: Snapshot,
  next: Snapshot,
  pace: Pace,
): Promise<readonly string[]> {
  const ids = new Set((await changesSince(next.head, before.head, readers.event)).map(({ key }) => key));
  // Concurrent events affect the order of known writes, so a different one may win now.
  for await (const { key, after } of diffTries(readers.shard, before.root, next.root)) {
    ids.add(key);
    if (after !== undefined && 'deleted' in decodeDocument(await readers.block(after))) noteDeleted(after);
    if (pace.isDue()) await pace.rest();
  }
  return [...ids];
}
