/** Text of a document that is not saved yet, kept for this tab: a reload, or a tab that ended by itself, loses nothing. */

/** Longer texts are not kept: a tab has room for about five million characters. */
const CHARS_MAX = 1_000_000;

/** Whether a text is short enough. */
export const canKeep = (text: string): boolean => text.length <= CHARS_MAX;

const keyOf = (database: string, id: string | undefined): string =>
  `fixpoint:draft:${JSON.stringify([database, id ?? null])}`;

export function readKeptText(database: string, id: string | undefined): string | undefined {
  try {
    return sessionStorage.getItem(keyOf(database, id)) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Undefined forgets it. A browser that keeps nothing only loses the comfort. */
export function writeKeptText(database: string, id: string | undefined, text: string | undefined): void {
  try {
    if (text === undefined || !canKeep(text)) sessionStorage.removeItem(keyOf(database, id));
    else sessionStorage.setItem(keyOf(database, id), text);
  } catch {
    // The text is in the editor still.
  }
}
