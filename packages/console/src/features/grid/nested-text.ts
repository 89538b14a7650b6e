/**
 * Formats lists and objects for a cell without brackets and quotes, which make them hard to read.
 * Works on the text of a preview, which is JSON except for bytes and links, and may be cut off.
 */
import type { Cell } from 'fixpoint/rows';

/** Lists with more parts show only the first ones, and how many more there are. */
const LIST_PARTS = 4;

/** Returns the text of a list or an object; empty ones as `[]` and `{}`. */
export function nestedText({ kind, text, cut }: Cell): string {
  const parts = partsOf(text.slice(1, cut ? undefined : -1), cut);
  if (parts.length === 0) return cut ? text : kind === 'list' ? '[]' : '{}';
  if (kind === 'object') return `${parts.map(fieldText).join(', ')}${cut ? ', …' : ''}`;
  const shown = parts.slice(0, LIST_PARTS).map(plainText).join(', ');
  if (cut) return `${shown}, …`;
  return parts.length <= LIST_PARTS ? shown : `${shown} +${parts.length - LIST_PARTS}`;
}

/** Splits the inner text of a list or an object at its commas. Drops a last part that is cut. */
function partsOf(text: string, cut: boolean): string[] {
  const parts: string[] = [];
  let [from, depth, isQuoted] = [0, 0, false];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (isQuoted) {
      if (sign === '\\') at += 1;
      else if (sign === '"') isQuoted = false;
    } else if (sign === '"') isQuoted = true;
    else if (sign === '[' || sign === '{') depth += 1;
    else if (sign === ']' || sign === '}') depth -= 1;
    else if (sign === ',' && depth === 0) {
      parts.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  const last = text.slice(from).trim();
  return cut || last === '' ? parts : [...parts, last];
}

/** Returns the text of a part without quotes around it. Lists and objects within keep brackets. */
function plainText(part: string): string {
  if (part.startsWith('"')) return parsed(part) ?? part;
  return part;
}

/** Matches the name of a field. */
const NAME = /^"(?:[^"\\]|\\.)*"/;

function fieldText(part: string): string {
  const [name = ''] = NAME.exec(part) ?? [];
  const value = part.slice(name.length).replace(/^:\s*/, '');
  return `${parsed(name) || '(empty name)'}: ${plainText(value)}`;
}

/** Parses a text in quotes; undefined if it isn't one. */
function parsed(text: string): string | undefined {
  try {
    return String(JSON.parse(text));
  } catch {
    return undefined;
  }
}
