/** Restores an earlier version of a document; the previous one stays in the history. */
import type { Database } from 'fixpoint';

/**
 * Restores the version; returns a function that undoes it.
 * @throws FixpointError
 */
export async function restoreVersion(
  database: Pick<Database, 'head' | 'ready' | 'restore'>,
  id: string,
  event: string,
): Promise<() => Promise<void>> {
  // The current head is unknown before, and an undo would delete the document.
  await database.ready();
  const before = database.head;
  await database.restore(id, [event]);
  return async () => void (await database.restore(id, before));
}
