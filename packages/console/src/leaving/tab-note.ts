/**
 * Stores texts for one tab, so that they survive a reload. If the browser allows no storage, the
 * texts are lost on a reload.
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
