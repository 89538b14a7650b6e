/** Parses one JSON value, and finds what JSON.parse changes without saying so. */
import { type Node, parseTree, printParseErrorCode, visit } from 'jsonc-parser';
import { repeatsFields } from '../../../values/json-losses.ts';
import { fromPlain } from '../../../values/plain-json.ts';
import type { JsonItem, Place } from './json-items.ts';
import { type Path, type Problem, wellFormedText } from './problems.ts';

/** The deepest nesting that the engine stores: `DEPTH_MAX` of its documents. */
export const LEVELS_MAX = 200;
/** Deeper values aren't even kept as text. */
const LEVELS_READ_MAX = 1000;
/** Characters shown of a value that JSON.parse drops. */
const LOST_CHARS = 80;

/**
 * Matches all texts that may contain -0, an integer beyond 2^53, a number beyond the range of
 * numbers, or an escaped half of a character. Only these are read number by number.
 */
const SUSPECT = /-0(?![.\d])|-0\.0|\d{16}|[eE][+-]?\d{3}|\\u[dD][89a-fA-F]|[\uD800-\uDFFF]/;

export interface ReadValue {
  /** Undefined if the text isn't valid JSON. */
  readonly value: unknown;
  readonly problems: readonly Problem[];
}

export function readValue({ text, ...place }: JsonItem): ReadValue {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return { value: undefined, problems: [syntaxProblem(text, place)] };
  }
  if (isDeeper(parsed, LEVELS_READ_MAX))
    return { value: undefined, problems: [{ kind: 'shape', ...place, why: 'It is nested too deep.' }] };
  const isSuspect = SUSPECT.test(text) || repeatsFields(text, parsed);
  const problems: Problem[] = isSuspect ? changedValues(text, place) : [];
  if (!isDeeper(parsed, LEVELS_MAX)) return { value: fromPlain(parsed), problems };
  problems.push({ kind: 'depth', ...place, path: deepPath(parsed) });
  return { value: parsed, problems };
}

/** Returns whether a value has more than `levels` levels of lists and objects inside it. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels < 0) return true;
  const parts: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return parts.some((part) => isDeeper(part, levels - 1));
}

const deepPath = (doc: unknown): Path =>
  typeof doc !== 'object' || doc === null
    ? []
    : Object.entries(doc)
        .filter(([, value]) => isDeeper(value, LEVELS_MAX - 1))
        .map(([field]) => field)
        .slice(0, 1);

/** Returns a place in the file from an offset in the text of an item. */
function placeAt(text: string, offset: number, { line, column }: Place): Place {
  const before = text.slice(0, offset);
  const ends = before.split('\n');
  const last = ends.at(-1) ?? '';
  return ends.length === 1
    ? { line, column: column + last.length }
    : { line: line + ends.length - 1, column: last.length + 1 };
}

/** Finds fields, numbers and texts that would be stored differently. */
function changedValues(text: string, place: Place): Problem[] {
  const found: { readonly offset: number; readonly problem: Problem }[] = [];
  const note = (kind: Problem['kind'], { offset }: Node, path: Path, shown: string, why?: string) =>
    found.push({
      offset,
      problem: { kind, ...placeAt(text, offset, place), path, text: shown, ...(why && { why }) },
    });
  const textOf = ({ offset, length }: Node) => text.slice(offset, offset + Math.min(length, LOST_CHARS));
  const noteFields = (properties: readonly Node[], path: Path) => {
    const last = new Map<unknown, Node>();
    for (const property of properties) {
      const [name, value] = property.children ?? [];
      if (name === undefined || value === undefined) continue;
      const earlier = last.get(name.value);
      last.set(name.value, value);
      const field = String(name.value);
      if (earlier !== undefined) {
        const { line } = placeAt(text, earlier.offset, place);
        note('again', name, [...path, field], textOf(earlier), `Also in line ${line.toLocaleString('en')}.`);
      }
      const whole = wellFormedText(field);
      if (field !== whole) note('half', name, [...path, field], whole);
    }
    // JSON.parse drops the values before the last one.
    for (const [field, value] of last) noteValue(value, [...path, String(field)]);
  };
  const noteValue = (node: Node, path: Path): void => {
    const { type, value, children = [] } = node as Node & { readonly value?: unknown };
    if (type === 'object') noteFields(children, path);
    else if (type === 'array') for (const [at, item] of children.entries()) noteValue(item, [...path, at]);
    else if (typeof value === 'string') {
      const whole = wellFormedText(value);
      if (value !== whole) note('half', node, path, whole);
    } else if (type === 'number') {
      const digits = text.slice(node.offset, node.offset + node.length);
      const kind = numberFault(digits);
      if (kind !== undefined) note(kind, node, path, digits);
    }
  };
  const root = parseTree(text);
  if (root !== undefined) noteValue(root, []);
  return found.toSorted((a, b) => a.offset - b.offset).map(({ problem }) => problem);
}

/** Returns what would happen to the digits of a number; undefined if all are kept. */
export function numberFault(digits: string): 'zero' | 'long' | undefined {
  const number = Number(digits);
  if (Object.is(number, -0)) return 'zero';
  if (!Number.isFinite(number)) return 'long';
  if (Number.isSafeInteger(number) || !/^-?\d+$/.test(digits)) return undefined;
  // The same digits come back for some integers, which therefore stay as they are.
  return String(number) === digits ? undefined : 'long';
}

const REASONS: Readonly<Record<string, string>> = {
  InvalidSymbol: 'This word is unknown. Texts need quotes.',
  InvalidNumberFormat: 'This number isn’t valid.',
  PropertyNameExpected: 'Expected the name of a field, in double quotes.',
  ValueExpected: 'Expected a value.',
  ColonExpected: 'Expected a colon after the name of a field.',
  CommaExpected: 'Expected a comma between two values.',
  CloseBraceExpected: 'The object has no closing brace.',
  CloseBracketExpected: 'The list has no closing bracket.',
  EndOfFileExpected: 'Expected nothing after the end of the value.',
  InvalidCommentToken: 'JSON has no comments.',
  UnexpectedEndOfComment: 'JSON has no comments.',
  UnexpectedEndOfString: 'The text has no closing quote.',
  UnexpectedEndOfNumber: 'The number isn’t complete.',
  InvalidUnicode: 'Expected four hexadecimal digits after \\u.',
  InvalidEscapeCharacter: 'This character can’t follow a backslash.',
  InvalidCharacter: 'This character must be escaped.',
};
const SHOWN_CHARS = 40;

/** Uses our own texts, because each browser reports errors in a different way. */
function syntaxProblem(text: string, place: Place): Problem {
  const { why, offset } = firstFault(text) ?? { why: 'This isn’t valid JSON.', offset: 0 };
  const start = Math.max(0, Math.min(offset, text.length - 1) - 8);
  return {
    kind: 'syntax',
    ...placeAt(text, offset, place),
    text: text.slice(start, start + SHOWN_CHARS).trim(),
    why,
  };
}

function firstFault(text: string): { readonly why: string; readonly offset: number } | undefined {
  let found: { why: string; offset: number } | undefined;
  const onError = (code: number, offset: number) => {
    found ??= { why: REASONS[printParseErrorCode(code)] ?? 'This isn’t valid JSON.', offset };
  };
  try {
    visit(text, { onError }, { disallowComments: true });
  } catch {
    // The visitor calls itself for each level, and the text may have too many levels for that.
  }
  return found;
}
