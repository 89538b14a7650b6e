import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HOSTILE_NAMES } from '../../values/hostile-names.fixture.ts';
import type { Condition } from './filter.ts';
import { filterText } from './filter-text.ts';
import { expectedAfter, parseFilter } from './parse-filter.ts';

const valueIn = (text: string): unknown => (parseFilter(text).filter as Condition | undefined)?.value;
const problemIn = (text: string) => parseFilter(text).problem;

describe('a value in the text of a filter', () => {
  test.each<[string, unknown]>([
    ['-0.5', -0.5],
    ['1E-3', 0.001],
    ['TRUE', true],
    ['False', false],
    ['NULL', null],
    ['Zoë_1-x', 'Zoë_1-x'],
    ['$cost', '$cost'],
    ['[]', []],
    ['[ [], {} ]', [[], {}]],
    ['[a, "b", 3, null]', ['a', 'b', 3, null]],
    ['{a: 1, "b c": {d: [e]}}', { a: 1, 'b c': { d: ['e'] } }],
    ['"tab\\t, quote\\" and \\u00e9"', 'tab\t, quote" and é'],
    ['"and"', 'and'],
    ['"😀 ﷺ"', '😀 ﷺ'],
  ])('reads %s', (text, value) => {
    expect(valueIn(`f = ${text}`)).toEqual(value);
  });

  test('keeps a field of any name as an own field of an object', () => {
    for (const name of HOSTILE_NAMES) {
      const value = valueIn(`f = {${JSON.stringify(name)}: 1}`) as object;
      expect(Object.entries(value)).toEqual([[name, 1]]);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    }
  });

  test.each<[string, RegExp, number]>([
    ['f = {a}', /Expected ":" after the field name/, 6],
    ['f = {5: 1}', /Expected a field name/, 5],
    ['f = {a: 1', /This object has no end/, 4],
    ['f = {a: }', /Expected a value instead of }/, 8],
    ['f = [1 2]', /This list has no end/, 4],
    ['f = [1,]', /Expected a value instead of ]/, 7],
    ['f = 5abc', /Expected a value instead of 5abc/, 4],
    ['f = "\\x"', /needs an escape/, 4],
    ['f = "a\nb"', /needs an escape/, 4],
    ['f = 1e999', /too large/, 4],
    ['f = 9007199254740993', /would become 9007199254740992\. Put it in quotes/, 4],
    ['f in [1, 0.1234567890123456789]', /would become 0\.12345678901234568/, 9],
    ['f in [1, -1e999]', /too large/, 9],
    ['f starts with 5', /Expected a text in quotes/, 14],
    ['f starts 5', /Expected "with" after "starts"/, 9],
    ['f in {a: 1}', /Expected a list/, 5],
    ['f matches x', /Expected a regular expression/, 10],
    ['f matches "("', /Unterminated group/, 10],
    ['f matches /a', /Expected a regular expression/, 10],
    ['f not = 1', /such as contains, in, starts with/, 6],
    ['f is not 5', /Expected a type/, 9],
    ['f is constructor', /Expected a type/, 5],
    ['(f = 1]', /Expected "\)" before ]/, 6],
    ['f. = 1', /Expected a field instead of =/, 3],
    ['.f = 1', /Expected a field instead of \./, 0],
    ['()', /Expected a field instead of \)/, 1],
  ])('says what is wrong with %s', (text, message, from) => {
    const problem = problemIn(text);
    expect(problem?.message).toMatch(message);
    expect(problem?.from).toBe(from);
  });

  test.each(['>', '>=', '<', '<='])('rejects an object after %s, because objects have no order', (sign) => {
    expect(problemIn(`f ${sign} {a: 1}`)?.message).toBe('Objects have no order');
    expect(problemIn(`f ${sign} [1]`)).toBeUndefined();
  });
});

describe('the limits of the text of a filter', () => {
  test('counts only nested groups as depth, not conditions beside each other', () => {
    const beside = Array.from({ length: 200 }, (_, n) => `(f = ${n})`).join(' or ');
    expect(problemIn(beside)).toBeUndefined();
    expect(problemIn(`${'('.repeat(40)}f = 1${')'.repeat(40)}`)).toBeUndefined();
    expect(problemIn(`${'not '.repeat(60)}f = 1`)?.message).toMatch(/nested too deeply/);
  });

  test.each([
    ['lists', `f = ${'['.repeat(19_000)}`],
    ['objects', `f = ${'{a:'.repeat(6000)}`],
    ['lists that end', `f = ${'['.repeat(9000)}1${']'.repeat(9000)}`],
    ['groups', '('.repeat(19_000)],
    ['negations', 'not '.repeat(4900)],
  ])('rejects deeply nested %s instead of failing', (_what, text) => {
    expect(problemIn(text)?.message).toMatch(/nested too deeply/);
  });

  test('accepts 20,000 characters and marks those beyond', () => {
    const text = (length: number) => `f = "${'x'.repeat(length - 6)}"`;
    expect(problemIn(text(20_000))).toBeUndefined();
    expect(problemIn(text(20_001))).toEqual({ message: 'The filter is too long', from: 20_000, to: 20_001 });
  });

  test('shortens long words in messages', () => {
    expect(problemIn(`f = 1 ${'x'.repeat(500)}`)?.message).toBe(
      `Expected "and" or "or" before ${'x'.repeat(20)}…`,
    );
  });

  test('returns a filter or a problem inside the text for any text, and never throws', () => {
    const piece = fc.oneof(
      fc.constantFrom('f', '"', '\\', '/', '(', ')', '[', ']', '{', '}', ':', ',', '.', '=', '!=', '>', ' '),
      fc.constantFrom(
        'and',
        'or',
        'not',
        'in',
        'is',
        'matches',
        'starts',
        'with',
        '__proto__',
        '-',
        '1e9',
        '\n',
      ),
      fc.string({ unit: 'binary', maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join(' ');
        const { filter, problem } = parseFilter(text);
        expectedAfter(text);
        if (problem === undefined) expect(parseFilter(filterText(filter))).toEqual({ filter });
        else {
          expect(problem.message).not.toBe('');
          expect(0 <= problem.from && problem.from <= problem.to && problem.to <= text.length).toBe(true);
        }
      }),
      { numRuns: 600 },
    );
  });
});

describe('what may follow a text', () => {
  test.each([
    ['not ', { what: 'field' }],
    ['f not ', { what: 'operator', path: 'f' }],
    ['f exists ', { what: 'join' }],
    ['f is missing ', { what: 'join' }],
    ['f is not ', { what: 'type', path: 'f' }],
    ['f = 1 and not (', { what: 'field' }],
    ['"a.b"[].c starts with ', { what: 'value', path: 'a\\.b[].c', test: 'starts' }],
  ])('names the kind of the next part after "%s"', (text, expected) => {
    expect(expectedAfter(text)).toMatchObject(expected);
  });
});
