/** Finds the changes of a new head, and sends them to subscribers. */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { Pace } from '../base/pace.ts';
import { changesSince } from '../clock/changes-since.ts';
import type { Head } from '../clock/event.ts';
import { noteDeleted } from '../documents/deletions.ts';
import { decodeDocument } from '../documents/encode.ts';
import { diffTries } from '../trie/diff.ts';
import type { Readers, Snapshot } from './snapshot.ts';

export interface HeadChange {
  readonly before: Head;
  readonly after: Head;
  /** Documents that were written. After a merge, the list may also contain unchanged documents. */
  readonly ids: readonly string[];
  /**
   * `settled`: the head now contains local writes that were announced before, as `local` changes
   * with equal heads.
   */
  readonly origin: 'local' | 'settled' | 'remote' | 'elsewhere';
}

export interface Feed {
  subscribe(listener: (change: HeadChange) => void): () => void;
  emit(change: HeadChange): void;
}

/**
 * Creates a feed that notifies all listeners of each change. If a listener throws, the feed reports
 * the error and still notifies the others.
 */
export function createFeed(report: (error: unknown) => void): Feed {
  const listeners = new Set<(change: HeadChange) => void>();
  return {
    subscribe: (listener) => {
      const own = (change: HeadChange) => listener(change);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    emit: (change) => {
      for (const listener of [...listeners]) {
        try {
          listener(change);
        } catch (cause) {
          report(new FixpointError('SUBSCRIBER', undefined, { cause }));
        }
      }
    },
  };
}

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
): Promise<readonly string[]> {
  const ids = new Set((await changesSince(next.head, before.head, readers.event)).map(({ key }) => key));
  // Concurrent events affect the order of known writes, so another write of a document may win now.
  // Comparing the tries finds such documents.
  for await (const { key, after } of diffTries(readers.shard, before.root, next.root)) {
    ids.add(key);
    if (after !== undefined && 'deleted' in decodeDocument(await readers.block(after))) noteDeleted(after);
    if (pace.isDue()) await pace.rest();
  }
  return [...ids];
}

/**
 * Returns the ids of documents that may differ between two snapshots. Newly written documents come
 * first, from oldest to newest.
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
    // Concurrent events affect the order of known writes, so another write of a document may win
    // now. Comparing the tries finds such documents.
    for await (const { key } of diffTries(readers.shard, before.root, root)) written.add(key);
    return [...written];
  } catch (cause) {
    // Events between the snapshots were dropped, so any document may have changed.
    if (!isFixpointError(cause, 'MISSING_BLOCK')) throw cause;
    return keys([]);
  }
}
