/** Patterns at the limits of what `matches` supports, and the reasons that users see. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { patternOf, patternProblem } from './text-pattern.ts';

const codeOf = (pattern: string) => {
  try {
    patternOf(pattern);
    return 'no error';
  } catch (cause) {
    return (cause as { code?: string }).code;
  }
};

describe('a pattern', () => {
  test.each([
    // Two escaped surrogates are one character, as in RegExp with the flag `u`.
    ['\\ud83d\\ude00', '😀'],
    ['^\\uD83D\\uDE00+$', '😀😀'],
    ['\\ud83d', '😀'],
    ['\\ude00', '😀'],
    ['^\\ud83d', '\ud83d'],
    ['^\\ud83d\\u0061$', '\ud83da'],
    ['[\\ud83d\\ude00]', '😀'],
    ['^\\u{1f600}{2}$', '😀😀'],
    ['😀{2}', '😀😀'],
    ['^[^😀]$', '😀'],
    ['[]', 'a'],
    ['^[^]$', '\n'],
    ['[[-\\]]', ']'],
    ['[\\\\\\]]', '\\'],
    ['a{0}b', 'b'],
    ['a{0,0}$', 'a'],
    ['a{2}?$', 'aaa'],
    ['^a{1,3}?$', 'aaaa'],
    ['^(?:a?){3}$', 'aa'],
    ['^(?:|a)+$', 'aaa'],
    ['^(?:){3}a$', 'a'],
    ['\\0', '\0'],
    ['^\\s+$', '\u00a0\u2028\ufeff'],
    ['\\P{L}', 'aé'],
    ['\\p{Script=Greek}', 'λ'],
    ['^.$', '\u2028'],
    ['^$|^a', 'ba'],
    ['(?<constructor>a)(?<__proto__>b)', 'ab'],
  ])('matches %j in %j like RegExp', (pattern, text) => {
    expect(patternOf(pattern)(text)).toBe(new RegExp(pattern, 'u').test(text));
  });

  test.each([
    ['\\bſ', 'ſ'],
    ['\\Bſ', 'aſ'],
    ['\\w\\b', 'ſ'],
    ['\\b\\u212a', '\u212a'],
    ['k', '\u212a'],
    ['ß', 'ẞ'],
    ['[a-z]', 'K'],
    ['ΣΑΣ', 'σας'],
    ['\\ud801\\udc00', '\u{10428}'],
    ['i', 'İ'],
  ])('ignores case in %j for %j like RegExp', (pattern, text) => {
    expect(patternOf(`(?i)${pattern}`)(text)).toBe(new RegExp(pattern, 'iu').test(text));
    expect(patternOf(pattern)(text)).toBe(new RegExp(pattern, 'u').test(text));
  });

  test('finds each text that is escaped, in the middle of others', () => {
    const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
    const short = fc.string({ unit: 'binary', maxLength: 12 });
    fc.assert(
      fc.property(short, short, short, (before, text, after) => {
        const pattern = escaped(text);
        expect(patternOf(pattern)(before + text + after)).toBe(
          new RegExp(pattern, 'u').test(before + text + after),
        );
        expect(patternOf(`^${pattern}$`)(text)).toBe(true);
        expect(patternOf(`^${pattern}$`)(`${text}x`)).toBe(false);
      }),
    );
  });

  test('keeps nothing from one text to the next', () => {
    const fits = patternOf('^(ab)+$');
    expect(['abab', 'aba', '', 'ab', 'abab'].map(fits)).toEqual([true, false, false, true, true]);
  });

  test('repeats nothing in no time, however often', () => {
    expect(patternOf('^(?:){4000000000}a$')('a')).toBe(true);
    expect(patternOf('^(){1000000000,}$')('a')).toBe(false);
  });

  test.each([
    ['alternatives', '|'.repeat(20_000)],
    ['groups', '('.repeat(2_000) + ')'.repeat(2_000)],
    ['nested repetitions', `${'('.repeat(40)}a${'{2})'.repeat(39)})`],
    ['a large number', 'a{99999999999999999999}'],
    ['a long text', 'a'.repeat(501)],
  ])('is too long with too many %s', (_, pattern) => {
    expect(codeOf(pattern)).toBe('QUERY_INVALID');
    expect(patternProblem(pattern)).toBe('the pattern is too long');
  });

  test('has at most 500 steps, and a class of any length is one step', () => {
    const text = 'a'.repeat(500);
    expect(patternOf(text)(`b${text}`)).toBe(true);
    expect(patternOf(`^[${'abc'.repeat(10_000)}]$`)('c')).toBe(true);
  });
});

describe('the problem of a pattern', () => {
  test.each(['', 'a', '(?i)', '(?i)a|b', '\\.'])('is undefined for %j', (pattern) => {
    expect(patternProblem(pattern)).toBeUndefined();
  });

  test.each([
    ['(', /^Invalid regular expression: .*Unterminated group/],
    ['(?i)*', /Nothing to repeat/],
    ['a(?i)', /Invalid/],
    ['\\q', /Invalid escape/],
    ['(a)\\1', /^\\1 is not supported$/],
    ['(?!a)', /^\(\?!a is not supported$/],
    ['(?<=a)b', /^\(\?<= is not supported$/],
    ['(?<n>a)\\k<n>', /^\\k is not supported$/],
  ])('tells what is wrong with %j, without the name of the condition', (pattern, reason) => {
    expect(patternProblem(pattern)).toMatch(reason);
    expect(codeOf(pattern)).toBe('QUERY_INVALID');
  });
});
