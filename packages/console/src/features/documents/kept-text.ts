/** Text of a document that is not saved yet, kept for this tab: a reload, or a tab that ended by itself, loses nothing. */
import { readNote, writeNote } from '../../ui/tab-note.ts';

/** Longer texts are not kept: a tab has room for about five million characters. */
const CHARS_MAX = 1_000_000;

/** Whether a text is short enough. */
export const canKeep = (text: string): boolean => text.length <= CHARS_MAX;

const keyOf = (database: string, id: string | undefined): string =>
  `fixpoint:draft:${JSON.stringify([database, id ?? null])}`;

export const readKeptText = (database: string, id: string | undefined): string | undefined =>
  readNote(keyOf(database, id));

/** Undefined forgets it. */
export const writeKeptText = (database: string, id: string | undefined, text: string | undefined): void =>
  writeNote(keyOf(database, id), text === undefined || !canKeep(text) ? undefined : text);
