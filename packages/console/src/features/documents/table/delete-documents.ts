/** Deletes documents in batches. */
import type { Database } from 'fixpoint';
import type { WrittenPart } from '../../../undo/written-step.ts';

const BATCH = 500;

export interface Deletion {
  readonly deleted: number;
  /** The deletions, for Undo. */
  readonly parts: readonly WrittenPart[];
  /** Why the deletion failed before its end. */
  readonly error?: unknown;
}

export interface DeletionOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (deleted: number) => void;
}

/**
 * Deletes the documents with these ids. When the signal aborts or a batch fails, resolves with the
 * deletions so far.
 */
export async function deleteDocuments(
  database: Database,
  ids: AsyncIterable<readonly string[]>,
  { signal, onProgress }: DeletionOptions,
): Promise<Deletion> {
  const parts: WrittenPart[] = [];
  let deleted = 0;
  let error: unknown;
  try {
    for await (const part of ids)
      for (let at = 0; at < part.length; at += BATCH) {
        if (signal.aborted) break;
        const batch = part.slice(at, at + BATCH);
        // Undo reads the documents at this head.
        const before = await database.head();
        await database.bulk([], { del: batch });
        parts.push({ ids: batch, before, after: undefined });
        deleted += batch.length;
        onProgress?.(deleted);
      }
  } catch (cause) {
    if (!signal.aborted) error = cause;
  }
  return { deleted, parts, ...(error !== undefined && { error }) };
}
