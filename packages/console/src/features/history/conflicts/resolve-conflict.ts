/** Ends a conflict by writing the document, unless somebody wrote it in the meantime. */
import { isFixpointError } from '@fixpoint/protocol';
import type { Database, DocumentConflicts, Stored, Transaction } from 'fixpoint';
import type { WrittenPart } from '../../../undo/written-step.ts';
import { partsOf, sameFields } from '../../../values/document-fields.ts';
import { toPlain } from '../../../values/plain-json.ts';

/**
 * Writes a version of a document; undefined deletes the document. Returns what was written, for
 * Undo. Returns undefined, and writes nothing, if the versions are no longer those that the user
 * saw. @throws FixpointError
 */
export async function resolveConflict(
  database: Pick<Database, 'conflicts' | 'head' | 'transact'>,
  id: string,
  seen: DocumentConflicts,
  value: Stored | undefined,
): Promise<WrittenPart | undefined> {
  const areSeen = async () => {
    const now = await database.conflicts(id);
    return now !== undefined && versionsKey(now) === versionsKey(seen);
  };
  if (!(await areSeen())) return undefined;
  const before = await database.head();
  const isWritten = await database.transact(async (transaction) => {
    if (!isSameDocument(await currentOf(transaction, id), seen.winner.value)) return false;
    // A version that lost may have arrived since, and the write would follow it, too.
    if (!(await areSeen())) return false;
    if (value === undefined) transaction.del(id);
    else transaction.put({ ...value, _id: id });
    return true;
  });
  return isWritten ? { ids: [id], before, after: await database.head() } : undefined;
}

/**
 * Undo writes the document as it was. That is one more version after all others: the engine has no
 * way to write concurrent versions again.
 */
export const UNDO_NOTE =
  'Undo shows the document as before, but doesn’t bring the conflict back: the other versions stay in the history.';

/** Identifies the versions of a conflict. */
export const versionsKey = ({ winner, losers }: DocumentConflicts): string =>
  [winner, ...losers].map(({ event }) => event).join(' ');

function isSameDocument(a: Stored | undefined, b: Stored | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  const [one, other] = [partsOf(a), partsOf(b)];
  // Entries of files contain functions.
  const jsonOf = (files: object) => JSON.stringify(toPlain(files));
  return sameFields(one.fields, other.fields) && jsonOf(one.files) === jsonOf(other.files);
}

async function currentOf(transaction: Transaction, id: string): Promise<Stored | undefined> {
  try {
    return await transaction.get(id);
  } catch (cause) {
    if (isFixpointError(cause, 'NOT_FOUND')) return undefined;
    throw cause;
  }
}
