/**
 * Stores texts for one tab, where they survive a reload. Without storage, only this convenience is
 * lost.
 */

export function readNote(key: string): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Saves a text; undefined deletes it. */
export function writeNote(key: string, text: string | undefined): void {
  try {
    if (text === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  } catch {
    // The text is still in its field.
  }
}
