/** Text of a map function that is not saved yet: kept for this tab, so that leaving the page or a reload loses nothing. */

export const DEFAULT_MAP = '(doc, emit) => { emit(doc._id, doc); }';

const keyOf = (database: string, queryId: string | undefined): string =>
  `fixpoint:query:${JSON.stringify([database, queryId ?? null])}`;

export function readQueryDraft(database: string, queryId: string | undefined): string | undefined {
  try {
    return sessionStorage.getItem(keyOf(database, queryId)) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Once `saved` is stored as the query `to`, its draft goes; what was typed meanwhile is one of the stored query. */
export function moveQueryDraft(database: string, from: string | undefined, to: string, saved: string): void {
  const draft = readQueryDraft(database, from);
  writeQueryDraft(database, from, undefined);
  if (draft !== undefined && draft !== saved) writeQueryDraft(database, to, draft);
}

/** Undefined forgets the draft. A browser that keeps nothing only loses the comfort. */
export function writeQueryDraft(
  database: string,
  queryId: string | undefined,
  source: string | undefined,
): void {
  try {
    if (source === undefined) sessionStorage.removeItem(keyOf(database, queryId));
    else sessionStorage.setItem(keyOf(database, queryId), source);
  } catch {
    // The text is in the editor still.
  }
}
