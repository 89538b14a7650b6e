/**
 * Classifies the parts of one line of JSON. JSON tokens don't span lines, so this needs no other
 * lines, and a long text needn't be parsed.
 */

type JsonMarkKind = 'name' | 'text' | 'number' | 'word';

export interface JsonMark {
  readonly from: number;
  readonly to: number;
  readonly kind: JsonMarkKind;
}

/**
 * Maximum number of characters to read of a line. If a text is still open there, the rest of the
 * line counts as a part of the text.
 */
export const LINE_CHARS_MAX = 10_000;

const TOKEN = /("(?:[^"\\]|\\.)*(?:"|$))(\s*:)?|-?\d[\d.eE+-]*|true|false|null/g;
const END_OF_LINE = /[\s,\]}]*$/;

export function jsonLineMarks(line: string): readonly JsonMark[] {
  const marks: JsonMark[] = [];
  for (const { 0: token, 1: text, 2: colon, index } of line.slice(0, LINE_CHARS_MAX).matchAll(TOKEN)) {
    const to = index + (text ?? token).length;
    if (text === undefined) marks.push({ from: index, to, kind: /[a-z]$/.test(token) ? 'word' : 'number' });
    else if (colon !== undefined) marks.push({ from: index, to, kind: 'name' });
    else marks.push({ from: index, to: to < LINE_CHARS_MAX ? to : endOf(line), kind: 'text' });
  }
  return marks;
}

/** Returns the end of the last text in a line, before closing brackets and commas. */
const endOf = (line: string): number =>
  line.length - (END_OF_LINE.exec(line.slice(-LINE_CHARS_MAX))?.[0].length ?? 0);
