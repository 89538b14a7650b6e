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

const baseKeyOf = (database: string, id: string | undefined): string =>
  `fixpoint:draft:${JSON.stringify([database, id ?? null, 'base'])}`;

export const readKeptText = (database: string, id: string | undefined): string | undefined =>
  readNote(keyOf(database, id));

/** Returns the text of the document that the kept text was based on; undefined if unknown. */
export const readKeptBase = (database: string, id: string | undefined): string | undefined =>
  readNote(baseKeyOf(database, id));

/**
 * Stores the text and what it is based on; undefined, or a text that is too long, clears the stored
 * one.
 */
export function writeKeptText(
  database: string,
  id: string | undefined,
  text: string | undefined,
  base?: string,
): void {
  const kept = (one: string | undefined) => (one === undefined || !canKeep(one) ? undefined : one);
  writeNote(keyOf(database, id), kept(text));
  writeNote(baseKeyOf(database, id), text === undefined ? undefined : kept(base));
}
