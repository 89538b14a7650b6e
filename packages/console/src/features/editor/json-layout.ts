/**
 * Formats JSON text by whitespace changes only: typed characters stay as they are, including all
 * digits of long numbers.
 */
import { format } from 'jsonc-parser';
import { smallestChange, type Change as TextEdit } from './smallest-change.ts';

/** Longer texts aren't formatted. */
export const LAYOUT_CHARS_MAX = 256 * 1024;

/**
 * Returns the edits, ordered and disjoint, that format valid JSON like `JSON.stringify(value, null,
 * 2)`. Each edit changes only the wrong part of the whitespace between two tokens.
 */
export const layoutEdits = (text: string): TextEdit[] =>
  format(text, undefined, { insertSpaces: true, tabSize: 2, eol: '\n' }).flatMap(
    ({ offset, length, content }) => {
      const change = smallestChange(text.slice(offset, offset + length), content);
      if (change === undefined) return [];
      return [{ from: offset + change.from, to: offset + change.to, insert: change.insert }];
    },
  );

/** Returns the edits that don't touch the caret, so that the user can continue to type there. */
export const awayFrom = (edits: readonly TextEdit[], caret: number): TextEdit[] =>
  edits.filter(({ from, to }) => caret < from || caret > to);

export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { from, to, insert } of edits) {
    parts.push(text.slice(at, from), insert);
    at = to;
  }
  return parts.join('') + text.slice(at);
}
