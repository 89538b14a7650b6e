/** An earlier version of a document is written again; what was there before stays in the history. */
import type { Database } from 'fixpoint';

/**
 * Gives what takes it back.
 * @throws FixpointError
 */
export async function restoreVersion(
  database: Pick<Database, 'head' | 'ready' | 'restore'>,
  id: string,
  event: string,
): Promise<() => Promise<void>> {
  // Until then the head of now is not known, and to take it back would delete the document.
  await database.ready();
  const before = database.head;
  await database.restore(id, [event]);
  return async () => void (await database.restore(id, before));
}
