import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pathOf } from '../../values/field-path.ts';
import { HOSTILE_NAMES } from '../../values/hostile-names.fixture.ts';
import { type KnownPath, type Suggestion, suggestionsAt, withSuggestion } from './complete-filter.ts';
import type { Condition } from './filter.ts';
import { parseFilter } from './parse-filter.ts';

const KNOWN: readonly KnownPath[] = [
  { path: 'scope', detail: '', values: ['Macro', 'Individual'] },
  { path: 'n', detail: '', values: [7] },
];

/** Accepts the first suggestion at the mark `|`, and marks the caret after it. */
function accepted(marked: string): string | undefined {
  const caret = marked.indexOf('|');
  const text = marked.replace('|', '');
  const suggestions = suggestionsAt(text, caret, KNOWN);
  const [first] = suggestions.all;
  if (first === undefined) return undefined;
  const next = withSuggestion(text, suggestions, first);
  return `${next.text.slice(0, next.caret)}|${next.text.slice(next.caret)}`;
}

describe('accepting a suggestion', () => {
  test.each([
    ['the end of a word', 'sc|', 'scope |'],
    ['the middle of a word', 'sc|op = 1', 'scope |= 1'],
    ['a value that has no quote yet', 'scope = ind|', 'scope = "Individual" |'],
    ['a quoted value that has no end', 'scope = "ind|', 'scope = "Individual" |'],
    ['a quoted value that has an end', 'scope = "ind|"', 'scope = "Individual" |'],
    ['the middle of a quoted value', 'scope = "ind|iv" and n = 7', 'scope = "Individual" |and n = 7'],
    ['the list after "in"', 'scope in |', 'scope in ["Macro"] |'],
    ['a list that is open', 'scope in [|', 'scope in ["Macro" |'],
    ['a later value of an open list', 'scope in ["Macro", ind|]', 'scope in ["Macro", "Individual" |]'],
    ['the field after "not"', 'not sc|', 'not scope |'],
    ['a field in a group', '(n = 7 or sc|)', '(n = 7 or scope |)'],
  ])('replaces %s', (_what, marked, expected) => {
    expect(accepted(marked)).toBe(expected);
  });

  test.each([
    ['a regular expression', 'scope matches |'],
    ['a field without known values', 'other = |'],
    ['a value that is complete', 'n = 7|'],
  ])('offers nothing for %s', (_what, marked) => {
    expect(accepted(marked)).toBeUndefined();
  });

  test('offers at most 12 fields, those that begin with the typed text first', () => {
    const paths = ['xscope', ...Array.from({ length: 20 }, (_, n) => `scope${n}`)];
    const known = paths.map((path) => ({ path, detail: '', values: [] }));
    const texts = suggestionsAt('scope', 5, known).all.map(({ text }) => text);
    expect(texts).toEqual(Array.from({ length: 12 }, (_, n) => `scope${n}`));
  });

  test('writes fields and values of any name so that the filter reads them', () => {
    const name = fc.oneof(fc.constantFrom(...HOSTILE_NAMES.slice(0, -1)), fc.string({ maxLength: 5 }));
    const value = fc.oneof(name, fc.integer(), fc.boolean(), fc.constant(null));
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 3 }), value, (names, wanted) => {
        const path = pathOf(names.map((step) => ({ name: step, isEach: false })));
        const known = [{ path, detail: '', values: [wanted] }];
        const extended = (text: string) => {
          const suggestions = suggestionsAt(text, text.length, known);
          return withSuggestion(text, suggestions, suggestions.all[0] as Suggestion).text;
        };
        const whole = extended(`${extended('')}= `);
        const { path: read, value: found } = parseFilter(whole).filter as Condition;
        expect([read, found]).toEqual([path, wanted]);
      }),
      { numRuns: 200 },
    );
  });
});
