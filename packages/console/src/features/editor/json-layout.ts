/**
 * Formats JSON text by whitespace changes only: typed characters stay as they are, including all
 * digits of long numbers.
 */
import { type JsonToken, jsonTokens } from './json-tokens.ts';

export interface TextEdit {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** Longer texts aren't formatted. */
export const LAYOUT_CHARS_MAX = 256 * 1024;
const INDENT = '  ';

/**
 * Returns the edits, ordered and disjoint, that format valid JSON like `JSON.stringify(value, null,
 * 2)`.
 */
export function layoutEdits(text: string): TextEdit[] {
  const edits: TextEdit[] = [];
  let depth = 0;
  let before: JsonToken | undefined;
  for (const token of jsonTokens(text)) {
    if (token.kind === '}' || token.kind === ']') depth -= 1;
    change(edits, text, before?.to ?? 0, token.from, gapBetween(before, token, depth));
    if (token.kind === '{' || token.kind === '[') depth += 1;
    before = token;
  }
  change(edits, text, before?.to ?? 0, text.length, '');
  return edits;
}

/** Returns the edits that don't touch the caret, so that a user about to type keeps their place. */
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

function gapBetween(before: JsonToken | undefined, after: JsonToken, depth: number): string {
  if (before === undefined || after.kind === ',' || after.kind === ':') return '';
  if (before.kind === ':') return ' ';
  const closes = after.kind === '}' || after.kind === ']';
  const opens = before.kind === '{' || before.kind === '[';
  if (opens && closes) return '';
  if (opens || closes || before.kind === ',') return `\n${INDENT.repeat(depth)}`;
  return ' ';
}

/** Adds the edit that fixes a gap, without the parts at its ends that are already right. */
function change(edits: TextEdit[], text: string, from: number, to: number, wanted: string): void {
  const gap = text.slice(from, to);
  if (gap === wanted) return;
  const most = Math.min(gap.length, wanted.length);
  let head = 0;
  while (head < most && gap[head] === wanted[head]) head += 1;
  let tail = 0;
  while (tail < most - head && gap[gap.length - 1 - tail] === wanted[wanted.length - 1 - tail]) tail += 1;
  edits.push({ from: from + head, to: to - tail, insert: wanted.slice(head, wanted.length - tail) });
}
