/** Deletes documents in batches, and restores them on undo. */
import type { Database, Stored } from 'fixpoint';

const BATCH = 500;

export interface Deletion {
  readonly deleted: number;
  /**
   * Restores the deleted documents, except ones that were created again; returns how many.
   * @throws FixpointError
   */
  undo(): Promise<number>;
}

export interface DeletionOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (deleted: number) => void;
}

/**
 * Deletes the documents with these ids. When the signal aborts, resolves with the deletions so far.
 * @throws FixpointError
 */
export async function deleteDocuments(
  database: Database,
  ids: AsyncIterable<readonly string[]>,
  { signal, onProgress }: DeletionOptions,
): Promise<Deletion> {
  // Undo reads the documents at the head from before the first deletion.
  const before = await database.head();
  const deleted: string[] = [];
  try {
    for await (const part of ids)
      for (let at = 0; at < part.length; at += BATCH) {
        if (signal.aborted) break;
        const batch = part.slice(at, at + BATCH);
        await database.bulk([], { del: batch });
        for (const id of batch) deleted.push(id);
        onProgress?.(deleted.length);
      }
  } catch (cause) {
    if (!signal.aborted) throw cause;
  }
  return { deleted: deleted.length, undo: () => bringBack(database, before, deleted) };
}

async function bringBack(
  database: Database,
  head: readonly string[],
  ids: readonly string[],
): Promise<number> {
  let back = 0;
  for (let at = 0; at < ids.length; at += BATCH) {
    const keys = ids.slice(at, at + BATCH);
    const [then, now] = await Promise.all([database.at(head).allDocs({ keys }), database.allDocs({ keys })]);
    const present = new Set(now.rows.map(({ key }) => key));
    const docs: Stored[] = then.rows.filter(({ key }) => !present.has(key)).map(({ value }) => value);
    if (docs.length > 0) await database.bulk(docs);
    back += docs.length;
  }
  return back;
}
