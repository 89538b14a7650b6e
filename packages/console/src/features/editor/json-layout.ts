/** Gives JSON text the usual layout by changes of whitespace alone: what was typed, digits of long numbers too, stays as it is. */
import { type JsonToken, jsonTokens } from './json-tokens.ts';

export interface TextEdit {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** Longer text is left as it is. */
export const LAYOUT_CHARS_MAX = 256 * 1024;
const INDENT = '  ';

/** The edits, in order and apart from each other, that give valid JSON text the layout of `JSON.stringify(value, null, 2)`. */
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

/** Without the edits that touch the caret: whoever is about to type there keeps the place. */
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

/** Adds the edit that makes a gap what it shall be; the ends that are right already stay out of it. */
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
