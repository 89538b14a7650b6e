/** Text of a map function that is not saved yet: kept for this tab, so that leaving the page or a reload loses nothing. */
import { readNote, writeNote } from '../../ui/tab-note.ts';

export const DEFAULT_MAP = '(doc, emit) => { emit(doc._id, doc); }';

const keyOf = (database: string, queryId: string | undefined): string =>
  `fixpoint:query:${JSON.stringify([database, queryId ?? null])}`;

export const readQueryDraft = (database: string, queryId: string | undefined): string | undefined =>
  readNote(keyOf(database, queryId));

/** Once `saved` is stored as the query `to`, its draft goes; what was typed meanwhile is one of the stored query. */
export function moveQueryDraft(database: string, from: string | undefined, to: string, saved: string): void {
  const draft = readQueryDraft(database, from);
  writeQueryDraft(database, from, undefined);
  if (draft !== undefined && draft !== saved) writeQueryDraft(database, to, draft);
}

/** Undefined forgets the draft. */
export const writeQueryDraft = (
  database: string,
  queryId: string | undefined,
  source: string | undefined,
): void => writeNote(keyOf(database, queryId), source);
