import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { patternOf } from './text-pattern.ts';

const PATTERNS = [
  '',
  'a',
  '^a',
  'a$',
  '^$',
  'a|b|cd',
  '(ab)+c',
  '(?:a|b)*c',
  'a{2}',
  'a{2,}',
  'a{0,2}b',
  '[a-c]x?',
  '[^a]',
  '\\d+',
  '\\w+@\\w+\\.com',
  '\\bcat\\b',
  '\\Bb',
  'a.c',
  'a+?b',
  '\\u0061',
  '\\x61',
  '\\u{1F600}',
  '.{3}',
  'é',
  '\\p{Lu}',
  '(?<year>\\d{4})-\\d\\d',
  '[\\]a]',
  'a\\.b',
  '(a|)b',
  '(a*)*b',
  '(?:)',
  '\\/',
  '[\\d-]+',
  '\\cA',
];
const TEXTS = [
  '',
  'a',
  'b',
  'ab',
  'aab',
  'abab',
  'ababc',
  'cat',
  'concat',
  'a cat.',
  'x@y.com',
  '2026-11',
  'É',
  'é',
  '😀',
  'a😀c',
  'aXc',
  'a.b',
  'acb',
  ']',
  '/',
  '12-3',
  'aa\nb',
  '\u0001',
];

describe('a pattern', () => {
  test.each(PATTERNS)('matches the texts that RegExp matches: %j', (pattern) => {
    const own = patternOf(pattern);
    const [ignoring, regExp, ignoringRegExp] = [
      patternOf(`(?i)${pattern}`),
      new RegExp(pattern, 'u'),
      new RegExp(pattern, 'iu'),
    ];
    for (const text of TEXTS)
      expect([text, own(text), ignoring(text)]).toEqual([text, regExp.test(text), ignoringRegExp.test(text)]);
  });

  test('matches the texts that RegExp matches for generated patterns', () => {
    const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\w', '^', '$', '\\b');
    const times = fc.constantFrom('', '', '', '{2}', '{1,2}', '{1,}');
    const part = fc.tuple(atom, times).map(([one, many]) => `(?:${one})${many}`);
    const list = fc.array(part, { maxLength: 4 }).map((parts) => parts.join(''));
    const pattern = fc
      .tuple(fc.array(list, { minLength: 1, maxLength: 3 }), fc.constantFrom('', '*', '+', '?'))
      .map(([lists, many]) => `(${lists.join('|')})${many}b`);
    const text = fc.array(fc.constantFrom('a', 'b', ' '), { maxLength: 8 }).map((chars) => chars.join(''));
    fc.assert(
      fc.property(pattern, text, (source, sample) => {
        expect(patternOf(source)(sample)).toBe(new RegExp(source, 'u').test(sample));
      }),
      { numRuns: 500 },
    );
  });

  test.each(['(a+)+$', '^(a|a)*$', '(a|aa)+$', '^a*a*a*a*a*a*$', '(.*a){12}$'])(
    'takes linear time for a pattern that hangs RegExp: %s',
    (pattern) => {
      expect(patternOf(pattern)(`${'a'.repeat(20_000)}!`)).toBe(false);
    },
  );

  test.each([
    ['(', /matches: .*Unterminated group/],
    ['a{2,1}', /matches: /],
    ['(a)\\1', /\\1 is not supported/],
    ['(?<n>a)\\k<n>', /\\k is not supported/],
    ['a(?=b)', /\(\?=b is not supported/],
    ['(?<!a)b', /\(\?<! is not supported|\(\?<!a? is not supported/],
    ['(a{100}){100}', /too long/],
  ])('rejects %s with a reason', (pattern, reason) => {
    expect(() => patternOf(pattern)).toThrow(reason);
  });
});
