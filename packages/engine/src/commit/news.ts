/** Finds the documents that a new head changed, and notifies subscribers. */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { keysSince } from '../clock/changes-since.ts';
import type { Head } from '../clock/event.ts';
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
 * Returns the ids of documents that may differ between two snapshots. Newly written documents come
 * first, from oldest to newest.
 * @throws FixpointError CORRUPT, MISSING_BLOCK
 */
export async function writtenSince(
  readers: Readers,
  before: Snapshot,
  { head, root }: Snapshot,
): Promise<readonly string[]> {
  const keys = (since: Head) => keysSince(head, since, readers.event);
  try {
    const written = new Set(await keys(before.head));
    // Concurrent events can change which of two known writes of a document wins. Comparing the
    // tries finds such documents.
    for await (const { key } of diffTries(readers.shard, before.root, root)) written.add(key);
    return [...written];
  } catch (cause) {
    // Events between the snapshots were dropped, so any document may have changed.
    if (!isFixpointError(cause, 'MISSING_BLOCK')) throw cause;
    return keys([]);
  }
}
