/** Checks the data that a head from a remote adds. */
import type { Pace } from '../base/pace.ts';
import { keysSince } from '../clock/changes-since.ts';
import type { Cid } from '../codec/cid.ts';
import { noteDeleted } from '../documents/deletions.ts';
import { decodeDocument } from '../documents/encode.ts';
import { isPlainDocument } from '../documents/plain-document.ts';
import { diffTriesInRuns } from '../trie/diff.ts';
import type { Readers, Snapshot } from './snapshot.ts';

/**
 * Reads and checks all events and documents that the next snapshot has and the previous one lacks.
 * Returns the ids of documents that may have changed. Without this check, a member with write
 * access could write an event that refers to a missing block or an invalid document. Then every
 * listing of all documents would fail.
 * @param readers readers of the next snapshot
 * @param peek returns a block that is in memory
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function readNews(
  readers: Readers,
  before: Snapshot,
  next: Snapshot,
  pace: Pace,
  peek: (cid: Cid) => Uint8Array | undefined = () => undefined,
): Promise<readonly string[]> {
  const ids = new Set(await keysSince(next.head, before.head, readers.event));
  // Concurrent events affect the order of known writes, so another write of a document may win now.
  // Comparing the tries finds such documents.
  for await (const changes of diffTriesInRuns(readers.shard, before.root, next.root))
    for (const { key, after } of changes) {
      ids.add(key);
      if (after !== undefined) check(after, peek(after) ?? (await readers.block(after)));
      if (pace.isDue()) await pace.rest();
    }
  return [...ids];
}

/** @throws FixpointError CORRUPT if the bytes aren't a document */
function check(link: Cid, bytes: Uint8Array): void {
  if (!isPlainDocument(bytes) && 'deleted' in decodeDocument(bytes)) noteDeleted(link);
}
