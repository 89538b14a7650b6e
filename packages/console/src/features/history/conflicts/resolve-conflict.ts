/** Ends a conflict by writing the document, unless somebody wrote it in the meantime. */
import type { Database, DocumentConflicts, Stored } from 'fixpoint';
import { versionsKey } from '../../../undo/open-conflicts.ts';
import { isSameDocument, isSmall, partOf } from '../../../undo/written-part.ts';
import { readIn, type WrittenPart } from '../../../undo/written-step.ts';

/**
 * Writes a version of a document; undefined deletes the document. Returns what was written, for
 * Undo. Returns undefined, and writes nothing, if the versions are no longer those that the user
 * saw. @throws FixpointError
 */
export async function resolveConflict(
  database: Pick<Database, 'conflicts' | 'head' | 'at' | 'transact'>,
  id: string,
  seen: DocumentConflicts,
  value: Stored | undefined,
): Promise<WrittenPart | undefined> {
  const areSeen = async () => {
    const now = await database.conflicts(id);
    return now !== undefined && versionsKey(now) === versionsKey(seen);
  };
  if (!(await areSeen())) return undefined;
  const change = { id, before: seen.winner.value, after: value && { ...value, _id: id } };
  const written = await database.transact(async (transaction) => {
    if (!isSameDocument(await readIn(transaction, id), seen.winner.value)) return undefined;
    // A version that lost may have arrived since, and the write would follow it, too.
    if (!(await areSeen())) return undefined;
    const head = isSmall(change) ? undefined : await database.head();
    if (change.after === undefined) transaction.del(id);
    else transaction.put(change.after);
    return { head };
  });
  return written && partOf(change, written.head, database);
}

/**
 * Undo writes the document as it was. That is one more version after all others: the engine has no
 * way to write concurrent versions again.
 */
export const UNDO_NOTE =
  'Undo shows the document as before, but doesn’t bring the conflict back: the other versions stay in the history.';
