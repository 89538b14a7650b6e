/**
 * Conflicts that a write would end. A document in conflict has versions that the table, a form or
 * an earlier step doesn't show, so these writes leave it as it is (decision 0215).
 */
import type { Database, DocumentConflicts } from 'fixpoint';
import { documentsText } from './undo-stack.ts';

export type ConflictDatabase = Pick<Database, 'conflicts'>;

/** Identifies the versions of a conflict. */
export const versionsKey = ({ winner, losers }: DocumentConflicts): string =>
  keyOf([winner, ...losers].map(({ event }) => event));

const keyOf = (events: readonly string[]): string => events.join(' ');

/** The versions of a document that can't be read. */
const UNREADABLE_KEY = keyOf([]);

/**
 * Returns those of the documents that have a conflict, each with the key of its versions. In a
 * transaction, read the documents first: then a version that arrives later makes the transaction
 * run again. Nobody can merge versions that can't be read, so these don't count.
 * @throws FixpointError
 */
export async function openConflicts(
  database: ConflictDatabase,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const all = await knownConflicts(database, ids, signal);
  return new Map([...all].filter(([, versions]) => versions !== UNREADABLE_KEY));
}

/**
 * Like {@link openConflicts}, but includes documents whose versions can't be read, all with the
 * same key. So a missing document is one whose conflict has ended.
 */
export async function knownConflicts(
  database: ConflictDatabase,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const found = await database.conflicts(ids, { signal });
  return new Map(found.map(({ id, events }) => [id, keyOf(events)]));
}

/** Why a document wasn't written, on its page. */
export const CONFLICT_TEXT = 'this document has a conflict. Choose a version or merge them first.';

/** Says how many documents weren't written. Returns an empty text for none. */
export const conflictsText = (documents: number): string =>
  documents === 0
    ? ''
    : `Left out ${documentsText(documents)} with a conflict. Open ${documents === 1 ? 'it' : 'them'} to merge the versions.`;
