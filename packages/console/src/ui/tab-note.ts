/** Texts that one tab keeps: they are there after a reload, and in no other tab. A browser that keeps nothing only loses the comfort. */

export function readNote(key: string): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Undefined forgets it. */
export function writeNote(key: string, text: string | undefined): void {
  try {
    if (text === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  } catch {
    // It is where it was typed still.
  }
}
