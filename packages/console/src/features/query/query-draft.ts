/**
 * Keeps unsaved text of a map function for this tab, so that a reload or leaving the page loses
 * nothing.
 */
import { readNote, writeNote } from '../../leaving/tab-note.ts';

export const DEFAULT_MAP = '(doc, emit) => { emit(doc._id, doc); }';

const keyOf = (database: string, queryId: string | undefined): string =>
  `fixpoint:query:${JSON.stringify([database, queryId ?? null])}`;

export const readQueryDraft = (database: string, queryId: string | undefined): string | undefined =>
  readNote(keyOf(database, queryId));

/**
 * Removes the draft of `from` after the text `saved` was stored as the query `to`. Text that was
 * typed since becomes a draft of `to`.
 */
export function moveQueryDraft(database: string, from: string | undefined, to: string, saved: string): void {
  const draft = readQueryDraft(database, from);
  writeQueryDraft(database, from, undefined);
  if (draft !== undefined && draft !== saved) writeQueryDraft(database, to, draft);
}

/** Stores the draft; undefined clears it. */
export const writeQueryDraft = (
  database: string,
  queryId: string | undefined,
  source: string | undefined,
): void => writeNote(keyOf(database, queryId), source);
