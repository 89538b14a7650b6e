/** Suggests how the text of a filter may continue. */
import { pathText, TYPE_WORDS, valueText } from './filter-text.ts';
import { type Expected, expectedAfter } from './parse-filter.ts';

/** A field, for suggestions. */
export interface KnownPath {
  readonly path: string;
  /** How many documents have it, or another remark. */
  readonly detail: string;
  /** Some values, the most frequent ones first. */
  readonly values: readonly unknown[];
}

export interface Suggestion {
  /** The text to insert. */
  readonly text: string;
  readonly detail: string;
}

export interface Suggestions {
  /** The part of the text that a suggestion replaces. */
  readonly from: number;
  readonly to: number;
  readonly all: readonly Suggestion[];
}

const SHOWN_MAX = 12;
const OPERATORS: readonly (readonly [string, string])[] = [
  ['=', 'is equal to'],
  ['!=', 'has another value'],
  ['>', 'is greater than'],
  ['>=', 'is at least'],
  ['<', 'is less than'],
  ['<=', 'is at most'],
  ['contains', 'a part of the text, or an entry'],
  ['not contains', ''],
  ['starts with', 'the beginning of the text'],
  ['in', 'one of a list'],
  ['matches', 'a regular expression'],
  ['exists', 'has any value'],
  ['is missing', 'has no value'],
  ['is', 'has a type'],
];

/** Matches the word, or the text that is not closed, that ends at the caret. */
const UNFINISHED = /(?:"(?:[^"\\]|\\.)*|[^\s()[\],=<>!"]*)$/u;
const REST_OF_WORD = /^[\p{L}\p{N}_$-]*/u;
const REST_OF_TEXT = /^[\p{L}\p{N}_$-]*"?/u;
const CLOSED_TEXTS = /"(?:[^"\\]|\\.)*"/g;

export function suggestionsAt(text: string, caret: number, known: readonly KnownPath[]): Suggestions {
  const before = text.slice(0, caret);
  const from = caret - unfinishedIn(before).length;
  const typed = before.slice(from);
  const expected = expectedAfter(before.slice(0, from));
  const all = possible(expected, known).filter((one) => one.text !== typed && fits(one, typed));
  const rest = typed.startsWith('"') ? REST_OF_TEXT : REST_OF_WORD;
  const to = caret + (rest.exec(text.slice(caret))?.[0].length ?? 0);
  return { from, to, all: all.sort((a, b) => rank(a, typed) - rank(b, typed)).slice(0, SHOWN_MAX) };
}

function unfinishedIn(before: string): string {
  const blanked = before.replace(CLOSED_TEXTS, (whole) => ' '.repeat(whole.length));
  const length = UNFINISHED.exec(blanked)?.[0].length ?? 0;
  return before.slice(before.length - length);
}

function possible(expected: Expected, known: readonly KnownPath[]): Suggestion[] {
  switch (expected.what) {
    case 'field':
      return known.map(({ path, detail }) => ({ text: pathText(path), detail }));
    case 'operator':
      return OPERATORS.map(([text, detail]) => ({ text, detail }));
    case 'type':
      return [...TYPE_WORDS.keys()].slice(0, 7).map((text) => ({ text, detail: 'type' }));
    case 'join':
      return ['and', 'or'].map((text) => ({ text, detail: '' }));
    case 'value': {
      const values = known.find(({ path }) => path === expected.path)?.values ?? [];
      if (expected.test === 'matches') return [];
      return values.map((value) => {
        const text = valueText(value);
        const needsList = expected.test === 'in' && expected.isInList !== true;
        return { text: needsList ? `[${text}]` : text, detail: '' };
      });
    }
    case 'nothing':
      return [];
  }
}

const plain = (text: string): string => text.replace(/^[["]+/, '').toLowerCase();
const fits = ({ text }: Suggestion, typed: string): boolean => plain(text).includes(plain(typed));
const rank = ({ text }: Suggestion, typed: string): number => (plain(text).startsWith(plain(typed)) ? 0 : 1);

/** Returns the text with a suggestion in it, and the position of the caret after it. */
export function withSuggestion(
  text: string,
  { from, to }: Suggestions,
  { text: chosen }: Suggestion,
): { readonly text: string; readonly caret: number } {
  const rest = text.slice(to);
  const space = isFieldWithPath(rest) ? '' : ' ';
  return {
    text: `${text.slice(0, from)}${chosen}${space}${rest.trimStart()}`,
    caret: from + chosen.length + space.length,
  };
}

const isFieldWithPath = (rest: string): boolean => /^[.[]/.test(rest);
