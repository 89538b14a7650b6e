/**
 * Keeps a document's unsaved text for this tab, so that a reload or a crashed tab loses nothing.
 */
import { readNote, writeNote } from '../../../leaving/tab-note.ts';

/** Longer texts aren't kept, because all texts of a tab share about five million characters. */
const CHARS_MAX = 1_000_000;

/** Returns whether a text is short enough to keep. */
export const canKeep = (text: string): boolean => text.length <= CHARS_MAX;

const keyOf = (database: string, id: string | undefined): string =>
  `fixpoint:draft:${JSON.stringify([database, id ?? null])}`;

export const readKeptText = (database: string, id: string | undefined): string | undefined =>
  readNote(keyOf(database, id));

/** Stores the text; undefined, or a text that is too long, clears the stored one. */
export const writeKeptText = (database: string, id: string | undefined, text: string | undefined): void =>
  writeNote(keyOf(database, id), text === undefined || !canKeep(text) ? undefined : text);
