/** Checks the data that a head from a remote adds. */
import type { Pace } from '../base/pace.ts';
import { eventsSince, keysSince } from '../clock/changes-since.ts';
import type { Cid } from '../codec/cid.ts';
import { readByPlace } from '../codec/read-by-place.ts';
import { noteDeleted } from '../documents/deletions.ts';
import { decodeDocument } from '../documents/encode.ts';
import { isPlainDocument } from '../documents/plain-document.ts';
import { diffTriesInRuns } from '../trie/diff.ts';
import type { Readers, Snapshot } from './snapshot.ts';

/** The new blocks that needn't be read from the store. */
export interface KnownBlocks {
  /** Returns a block that is in memory. */
  peek(cid: Cid): Uint8Array | undefined;
  /** Returns whether the stored block was found to be a valid live document when it arrived. */
  isChecked(cid: Cid): boolean;
}

const NOTHING_KNOWN: KnownBlocks = { peek: () => undefined, isChecked: () => false };

/**
 * Reads and checks all events and documents that the next snapshot has and the previous one lacks.
 * Returns the ids of documents that may have changed. Without this check, a member with write
 * access could write an event that refers to a missing block or an invalid document. Then every
 * listing of all documents would fail.
 * @param readers readers of the next snapshot
 * @throws FixpointError MISSING_BLOCK, CORRUPT
 */
export async function readNews(
  readers: Readers,
  before: Snapshot,
  next: Snapshot,
  pace: Pace,
  { peek, isChecked }: KnownBlocks = NOTHING_KNOWN,
): Promise<readonly string[]> {
  const ids = new Set(await writtenKeys(readers, before, next));
  const rest = async () => {
    if (pace.isDue()) await pace.rest();
  };
  const unread: Cid[] = [];
  // Concurrent events can change which of two known writes of a document wins. Comparing the tries
  // finds such documents.
  for await (const changes of diffTriesInRuns(readers.shard, before.root, next.root))
    for (const { key, after } of changes) {
      ids.add(key);
      const bytes = after && peek(after);
      if (bytes !== undefined) check(after as Cid, bytes);
      else if (after !== undefined && !isChecked(after)) unread.push(after);
      await rest();
    }
  await readByPlace(readers.blocks, unread, (bytes, at) => check(unread[at] as Cid, bytes), rest);
  return [...ids];
}

/**
 * Reads all new events. Returns the keys that they wrote, which an empty database doesn't need: all
 * keys of the next trie are new to it. Collecting the keys would read long histories twice.
 */
async function writtenKeys({ event }: Readers, before: Snapshot, next: Snapshot): Promise<string[]> {
  if (before.head.length > 0) return keysSince(next.head, before.head, event);
  await eventsSince(next.head, before.head, event);
  return [];
}

/** @throws FixpointError CORRUPT if the bytes aren't a document */
function check(link: Cid, bytes: Uint8Array): void {
  if (!isPlainDocument(bytes) && 'deleted' in decodeDocument(bytes)) noteDeleted(link);
}
