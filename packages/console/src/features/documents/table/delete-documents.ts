/** Deletes documents in batches. */
import type { Database } from 'fixpoint';
import { knownConflicts } from '../../../undo/open-conflicts.ts';
import { readIn, type WrittenPart } from '../../../undo/written-step.ts';

const BATCH = 500;

export interface Deletion {
  readonly deleted: number;
  /** The ids of documents that stayed, because they have a conflict; each id once. */
  readonly conflicts: readonly string[];
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
 * Deletes the documents with these ids, except those with a conflict. When the signal aborts or a
 * batch fails, resolves with the deletions so far.
 */
export async function deleteDocuments(
  database: Database,
  ids: AsyncIterable<readonly string[]>,
  { signal, onProgress }: DeletionOptions,
): Promise<Deletion> {
  const parts: WrittenPart[] = [];
  const conflicts = new Set<string>();
  let deleted = 0;
  let error: unknown;
  try {
    for await (const part of ids)
      for (let at = 0; at < part.length; at += BATCH) {
        if (signal.aborted) break;
        const batch = part.slice(at, at + BATCH);
        // Undo reads the documents at this head.
        const before = await database.head();
        const { ids: gone, kept = [] } = await database.bulk([], { del: batch, keepConflicts: true });
        if (gone.length > 0) parts.push({ ids: gone, before, after: undefined });
        for (const id of kept) conflicts.add(id);
        deleted += gone.length;
        onProgress?.(deleted);
      }
  } catch (cause) {
    if (!signal.aborted) error = cause;
  }
  return { deleted, conflicts: [...conflicts], parts, ...(error !== undefined && { error }) };
}

/**
 * Deletes all versions of documents with a conflict, unless there are others than those that the
 * user was asked about. Ends like {@link deleteDocuments}.
 * @param asked the documents, each with the key of its versions, see {@link knownConflicts}
 */
export async function deleteConflicts(
  database: Database,
  asked: ReadonlyMap<string, string>,
  { signal, onProgress }: DeletionOptions,
): Promise<Omit<Deletion, 'conflicts'>> {
  const parts: WrittenPart[] = [];
  let deleted = 0;
  let error: unknown;
  const all = [...asked.keys()];
  try {
    for (let at = 0; at < all.length; at += BATCH) {
      if (signal.aborted) break;
      const batch = all.slice(at, at + BATCH);
      const { ids, before } = await database.transact(async (transaction) => {
        // If a version arrives after this, the transaction runs again.
        await Promise.all(batch.map((id) => readIn(transaction, id)));
        const known = await knownConflicts(database, batch);
        const gone = batch.filter((id) => known.get(id) === asked.get(id));
        const head = await database.head();
        for (const id of gone) transaction.del(id);
        return { ids: gone, before: head };
      });
      if (ids.length > 0) parts.push({ ids, before, after: undefined });
      deleted += ids.length;
      onProgress?.(deleted);
    }
  } catch (cause) {
    error = cause;
  }
  return { deleted, parts, ...(error !== undefined && { error }) };
}
