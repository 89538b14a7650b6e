/** Describes the write of one document for Undo. */
import type { Database, Stored } from 'fixpoint';
import { type Fields, partsOf, sameFields } from '../values/document-fields.ts';
import { toPlain } from '../values/plain-json.ts';
import type { Change } from './undo-plan.ts';
import { charsOf, type Head, type WrittenPart } from './written-step.ts';

/** Changes with longer documents are read from the history. */
const KEPT_CHARS = 64 * 1024;

/** Returns whether a change is small enough for memory. */
export const isSmall = ({ before, after }: Pick<Change, 'before' | 'after'>): boolean =>
  charsOf(before) + charsOf(after) <= KEPT_CHARS;

/**
 * Returns the part of a document that was just written. A long document stays in memory, too, if
 * somebody wrote it since: the history would then show their version as the written one.
 * @param before the head before the write; undefined keeps the change in memory
 */
export async function partOf(
  change: Omit<Change, 'fields'>,
  before: Head | undefined,
  database: Pick<Database, 'head' | 'at'>,
): Promise<WrittenPart> {
  if (before === undefined) return { kept: [change] };
  const { id } = change;
  const after = await database.head();
  const { rows } = await database.at(after).allDocs({ keys: [id] });
  if (!isSameDocument(rows[0]?.value, change.after)) return { kept: [change] };
  return { ids: [id], before: change.before && before, after: change.after && after };
}

/** Returns whether two documents have the same fields and files. */
export function isSameDocument(a: Stored | Fields | undefined, b: Stored | Fields | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  const [one, other] = [partsOf(a), partsOf(b)];
  // Entries of files contain functions.
  const plain = (files: Fields) => JSON.parse(JSON.stringify(toPlain(files))) as Fields;
  return sameFields(one.fields, other.fields) && sameFields(plain(one.files), plain(other.files));
}
