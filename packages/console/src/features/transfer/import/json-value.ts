/** Parses one JSON value, and finds what JSON.parse changes without saying so. */
import { printParseErrorCode, visit } from 'jsonc-parser';
import { fromPlain } from '../../../values/plain-json.ts';
import type { JsonItem, Place } from './json-items.ts';
import { type Path, type Problem, wellFormedText } from './problems.ts';

/** The deepest nesting that the engine stores: `DEPTH_MAX` of its documents. */
export const LEVELS_MAX = 200;
/** Deeper values aren't even kept as text. */
const LEVELS_READ_MAX = 1000;

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
  const problems: Problem[] = SUSPECT.test(text) ? changedValues(text, place) : [];
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

/** Finds numbers and texts that would be stored differently. */
function changedValues(text: string, place: Place): Problem[] {
  const problems: Problem[] = [];
  const note = (kind: Problem['kind'], shown: string, offset: number, path: Path) =>
    problems.push({ kind, ...placeAt(text, offset, place), path, text: shown });
  visit(text, {
    onObjectProperty: (name, offset, _length, _line, _character, path) => {
      const whole = wellFormedText(name);
      if (name !== whole) note('half', whole, offset, [...path(), name]);
    },
    onLiteralValue: (value: unknown, offset, length, _line, _character, path) => {
      const whole = typeof value === 'string' ? wellFormedText(value) : value;
      if (typeof whole === 'string' && whole !== value) note('half', whole, offset, path());
      if (typeof value !== 'number') return;
      const digits = text.slice(offset, offset + length);
      const kind = numberFault(digits);
      if (kind !== undefined) note(kind, digits, offset, path());
    },
  });
  return problems;
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
