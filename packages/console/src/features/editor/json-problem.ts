/** Explains the first error of a JSON text, and finds the change that likely corrects it. */
import { printParseErrorCode, visit } from 'jsonc-parser';

interface JsonFix {
  /** Such as `Use "M"`. */
  readonly label: string;
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

export interface JsonProblem {
  /** Both from 1, as editors count. */
  readonly line: number;
  readonly column: number;
  /** Position of the error in the text. */
  readonly at: number;
  /** One sentence. */
  readonly message: string;
  /** Undefined if no change is likely. */
  readonly fix: JsonFix | undefined;
}

/** Longer texts get no fix, because a fix is tried by parsing the text again. */
const CHARS_MAX = 256 * 1024;
const LABEL_CHARS = 24;

interface Found {
  /** Such as `CommaExpected`. */
  readonly code: string;
  readonly offset: number;
  readonly length: number;
}

/** Returns the first error; undefined for valid JSON. */
export function jsonProblem(text: string): JsonProblem | undefined {
  const found = firstError(text);
  if (found === undefined) return undefined;
  const { message, fix, at = found.offset } = explain(text, found);
  const before = text.slice(0, at).split('\n');
  return {
    line: before.length,
    column: (before.at(-1)?.length ?? 0) + 1,
    at,
    message,
    fix: fix !== undefined && text.length <= CHARS_MAX && helps(text, fix, found.offset) ? fix : undefined,
  };
}

function firstError(text: string): Found | undefined {
  let first: Found | undefined;
  visit(
    text,
    {
      onError: (code, offset, length) => {
        first ??= { code: printParseErrorCode(code), offset, length };
      },
    },
    { disallowComments: true },
  );
  return first;
}

/** A change helps if the text is then valid, or if its first error comes later. */
function helps(text: string, { from, to, insert }: JsonFix, before: number): boolean {
  const next = firstError(text.slice(0, from) + insert + text.slice(to));
  return next === undefined || next.offset > before + insert.length - (to - from);
}

interface Explained {
  readonly message: string;
  readonly fix?: JsonFix | undefined;
  readonly at?: number;
}

const WORDS = new Map([
  ['True', 'true'],
  ['TRUE', 'true'],
  ['False', 'false'],
  ['FALSE', 'false'],
  ['None', 'null'],
  ['NULL', 'null'],
  ['Null', 'null'],
  ['nil', 'null'],
  ['undefined', 'null'],
  ['NaN', 'null'],
]);

function explain(text: string, { code, offset, length }: Found): Explained {
  const bad = text.slice(offset, offset + length);
  const end = endBefore(text, offset);
  switch (code) {
    case 'InvalidSymbol':
    case 'InvalidCharacter':
      return unknownWord(text, offset);
    case 'PropertyNameExpected':
      return nameExpected(text, offset, end);
    case 'ValueExpected':
      return valueExpected(text, offset, end);
    case 'CommaExpected':
      return { message: 'A comma is missing.', at: end, fix: inserted('Insert a comma', end, ',') };
    case 'ColonExpected':
      return {
        message: 'A colon is missing after the name.',
        at: end,
        fix: inserted('Insert a colon', end, ':'),
      };
    case 'CloseBraceExpected':
      return { message: 'The closing } is missing.', fix: inserted('Add }', end, '\n}') };
    case 'CloseBracketExpected':
      return { message: 'The closing ] is missing.', fix: inserted('Add ]', end, '\n]') };
    case 'UnexpectedEndOfString': {
      const close = offset + bad.replace(/[,\s]+$/, '').length;
      return {
        message: 'The closing quote of this text is missing.',
        fix: inserted('Add the quote', close, '"'),
      };
    }
    case 'InvalidCommentToken':
    case 'UnexpectedEndOfComment':
      return {
        message: 'JSON has no comments.',
        fix: { label: 'Remove the comment', from: offset, to: offset + length, insert: '' },
      };
    case 'InvalidNumberFormat':
    case 'UnexpectedEndOfNumber':
      return { message: 'This number is incomplete.' };
    case 'InvalidEscapeCharacter':
    case 'InvalidUnicode':
      return { message: 'A backslash in this text begins no known character.' };
    case 'EndOfFileExpected':
      return { message: 'The document has already ended before this place.' };
    default:
      return { message: 'JSON doesn’t allow this here.' };
  }
}

const inserted = (label: string, at: number, insert: string): JsonFix => ({
  label,
  from: at,
  to: at,
  insert,
});

/** Returns where the text before a position ends, without white space. */
const endBefore = (text: string, at: number): number => text.slice(0, at).trimEnd().length;

/** Explains a word that is no JSON: a text without quotes, or with other quotes. */
function unknownWord(text: string, offset: number): Explained {
  const [, quoted] = /^'((?:[^'\\\n]|\\.)*)'/.exec(text.slice(offset)) ?? [];
  if (quoted !== undefined)
    return {
      message: `${isName(text, offset + quoted.length + 2) ? 'The name of a field' : 'Text'} needs double quotes.`,
      fix: replaced(offset, quoted.length + 2, JSON.stringify(quoted.replaceAll("\\'", "'"))),
    };
  const word = /^[^,:{}[\]"\n]*/.exec(text.slice(offset))?.[0].trimEnd() ?? '';
  const known = WORDS.get(word);
  if (known !== undefined)
    return { message: `JSON writes ${known} here.`, fix: replaced(offset, word.length, known) };
  if (/^[+.]?\d/.test(word) || word === '') return { message: 'JSON doesn’t know this value.' };
  const what = isName(text, offset + word.length) ? 'The name of a field' : 'Text';
  return { message: `${what} needs quotes.`, fix: replaced(offset, word.length, JSON.stringify(word)) };
}

/** Returns whether a colon follows, so that the word before it is a name. */
const isName = (text: string, end: number): boolean => /^\s*:/.test(text.slice(end));

function replaced(from: number, length: number, insert: string): JsonFix {
  const shown = insert.length > LABEL_CHARS ? `${insert.slice(0, LABEL_CHARS)}…` : insert;
  return { label: `Use ${shown}`, from, to: from + length, insert };
}

function nameExpected(text: string, offset: number, end: number): Explained {
  if (text[offset] === '}' && text[end - 1] === ',')
    return {
      message: 'No comma may follow the last field.',
      at: end - 1,
      fix: { label: 'Remove the comma', from: end - 1, to: end, insert: '' },
    };
  return { message: 'The name of a field is missing.' };
}

function valueExpected(text: string, offset: number, end: number): Explained {
  const next = text[offset];
  if (next === ']' && text[end - 1] === ',')
    return {
      message: 'No comma may follow the last value.',
      at: end - 1,
      fix: { label: 'Remove the comma', from: end - 1, to: end, insert: '' },
    };
  if (next === ',' && text[end - 1] === ',')
    return {
      message: 'There is one comma too many.',
      fix: { label: 'Remove the comma', from: offset, to: offset + 1, insert: '' },
    };
  return { message: 'A value is missing.', fix: inserted('Insert null', end, ' null') };
}
