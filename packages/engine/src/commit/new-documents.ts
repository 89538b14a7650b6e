import type { Pace } from '../base/pace.ts';
import { decodeDocument } from '../documents/encode.ts';
import { diffTries } from '../trie/diff.ts';
import { type Readers, readersOf, type Snapshot } from './snapshot.ts';

/**
 * Reads each document that a snapshot has and the one before it has not. What comes from elsewhere is not taken in before: a member who may write could else name
 * documents that are nowhere, or are none, and every list of all documents would fail from then on.
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function requireDocuments(
  before: Snapshot,
  next: Snapshot,
  readers: Readers,
  pace: Pace,
): Promise<void> {
  const { shard, block } = readersOf(next, readers);
  for await (const { after } of diffTries(shard, before.root, next.root)) {
    if (after !== undefined) decodeDocument(await block(after));
    if (pace.isDue()) await pace.rest();
  }
}
