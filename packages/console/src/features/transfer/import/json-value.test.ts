import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isDeeper, numberFault, readValue } from './json-value.ts';

const read = (text: string, line = 1, column = 1) => readValue({ text, line, column });

describe('valid JSON', () => {
  test('reads the same as JSON.parse, without problems', () => {
    const value = fc.jsonValue({ maxDepth: 4, stringUnit: 'grapheme' });
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 2), (some, indent) => {
        const text = JSON.stringify(some, undefined, indent);
        const { value: found, problems } = read(text);
        expect(found).toEqual(JSON.parse(text));
        expect(problems).toEqual([]);
      }),
    );
  });

  test('restores bytes, and keeps fields of any name', () => {
    expect(read('{"raw": {"/": {"bytes": "AP8"}}}').value).toEqual({ raw: Uint8Array.of(0, 255) });
    const { value } = read('{"__proto__": {"a": -0}, "constructor": 1}');
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor']);
  });

  test.each([
    ['-0', 'zero'],
    ['-0.00', 'zero'],
    ['-0e7', 'zero'],
    ['-0E+7', 'zero'],
    ['-1e-999', 'zero'],
    ['9007199254740993', 'long'],
    ['-9007199254740993', 'long'],
    ['12345678901234567890', 'long'],
    ['1e309', 'long'],
    ['-1e309', 'long'],
    [`1${'0'.repeat(400)}`, 'long'],
  ] as const)('reports the number %s as %s, wherever it is', (digits, kind) => {
    expect(numberFault(digits)).toBe(kind);
    for (const [text, path] of [
      [`{"a": ${digits}}`, ['a']],
      [`{"a": {"b": [true, ${digits} ]}}`, ['a', 'b', 1]],
      [`{"__proto__": ${digits}}`, ['__proto__']],
      [`[${digits}]`, [0]],
    ] as const) {
      const { problems } = read(text);
      expect(problems).toMatchObject([
        { kind, path, text: digits, line: 1, column: text.indexOf(digits) + 1 },
      ]);
    }
  });

  test.each([
    '0',
    '-1',
    '0.0',
    '-0.5',
    '-0.0001',
    '9007199254740991',
    '9007199254740992',
    '-9007199254740992',
    '12345678901234567000',
    '1e22',
    '1e-300',
    '5e-324',
    '0.1234567890123456789',
  ])('keeps the number %s', (digits) => {
    expect(numberFault(digits)).toBeUndefined();
    expect(read(`{"a": ${digits}, "b": "${digits}"}`)).toEqual({
      value: { a: Number(digits), b: digits },
      problems: [],
    });
  });

  test('ignores texts that only look like numbers', () => {
    expect(read('{"a": "-0", "-0": "12345678901234567890", "b": "\\\\ud800"}').problems).toEqual([]);
  });

  test('counts lines and columns within an item', () => {
    const { problems } = read('{\n  "a": 1,\n  "b": -0\n}', 10, 5);
    expect(problems).toMatchObject([{ line: 12, column: 8 }]);
    expect(read('{"a": -0}', 10, 5).problems).toMatchObject([{ line: 10, column: 11 }]);
  });

  test('reports halves of characters in values and in names', () => {
    const { problems } = read('{"a": "x\\ud83d", "\\ude00": {"b": "\\ud83d\\ude00"}}');
    expect(problems).toMatchObject([
      { kind: 'half', path: ['a'], text: 'x\uFFFD' },
      { kind: 'half', path: ['\ude00'], text: '\uFFFD' },
    ]);
  });
});

describe('repeated fields', () => {
  test('reports a field that an object has twice, with its line and the lost value', () => {
    const { value, problems } = read(
      '{\n  "a": 1,\n  "b": {"c": [1], "\\u0063": 2},\n  "a": 3,\n  "a": 4}',
      10,
    );
    expect(value).toEqual({ a: 4, b: { c: 2 } });
    expect(problems.map(({ kind }) => kind)).toEqual(['again', 'again', 'again']);
    expect(problems).toMatchObject([
      { line: 12, column: 19, path: ['b', 'c'], text: '[1]', why: 'Also in line 12.' },
      { line: 13, column: 3, path: ['a'], text: '1', why: 'Also in line 11.' },
      { line: 14, column: 3, path: ['a'], text: '3', why: 'Also in line 13.' },
    ]);
  });

  test('reports problems only of the value that is kept', () => {
    const kinds = (text: string) => read(text).problems.map(({ kind }) => kind);
    expect(kinds('{"a": -0, "a": 1}')).toEqual(['again']);
    expect(kinds('{"a": 1, "a": -0}')).toEqual(['again', 'zero']);
    expect(kinds('[{"a": {"n": -0}, "a": {"n": -0}}]')).toEqual(['again', 'zero']);
  });

  test('shortens a long value that is lost', () => {
    const [problem] = read(`{"a": "${'x'.repeat(5000)}", "a": 1}`).problems;
    expect(problem?.text?.length).toBeLessThan(100);
  });

  test.each([
    '{"a": {"a": 1}, "b": [{"a": 1}, {"a": 1}]}',
    '{"a": "\\"a\\":"}',
    '{"a": "{\\"x\\":1,\\"x\\":2}"}',
  ])('finds no repeated field in %s', (text) => expect(read(text).problems).toEqual([]));
});

describe('nesting', () => {
  const lists = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

  test.each([
    [201, []],
    [202, ['depth']],
    [1000, ['depth']],
    [1100, ['shape']],
    [100_000, ['shape']],
  ])('reports %s levels as %j', (levels, expected) => {
    expect(read(objects(levels)).problems.map(({ kind }) => kind)).toEqual(expected);
  });

  test('names the field that is too deep', () => {
    expect(read(`{"ok": ${lists(200)}, "deep": ${lists(201)}}`).problems).toMatchObject([
      { kind: 'depth', path: ['deep'] },
    ]);
  });

  test('counts levels', () => {
    expect(isDeeper(1, 0)).toBe(false);
    expect(isDeeper([], 0)).toBe(false);
    expect(isDeeper([[]], 0)).toBe(true);
    expect(isDeeper({ a: { b: [] } }, 1)).toBe(true);
    expect(isDeeper({ a: { b: [] } }, 2)).toBe(false);
  });
});

describe('broken JSON', () => {
  test.each([
    ['{"a": tru}', 7, /word is unknown/],
    ['{"a": 1 "b": 2}', 9, /Expected a comma/],
    ['{"a" 1}', 6, /Expected a colon/],
    ['{a: 1}', 2, /name of a field|word is unknown/],
    ["{'a': 1}", 2, /name of a field|word is unknown/],
    ['{"a": }', 7, /Expected a value/],
    ['{"a": 1,}', 9, /name of a field/],
    ['[1,]', 4, /Expected a value/],
    ['{"a": "x', 7, /no closing quote/],
    ['{"a": 1', 8, /no closing brace/],
    ['[1', 3, /no closing bracket/],
    ['{"a": 1} {"b": 2}', 10, /nothing after the end/],
    ['{"a": 1} // x', 10, /no comments/],
    ['{"a": "\\x"}', 7, /follow a backslash/],
    ['{"a": "\\u12"}', 7, /four hexadecimal digits/],
    ['{"a": "\t"}', 7, /must be escaped/],
    ['{"a": 1.}', 7, /number/],
    ['{"a": 01}', 8, /./],
    ['', 1, /./],
  ])('reports %s in column %s', (text, column, why) => {
    const { value, problems } = read(text);
    expect(value).toBeUndefined();
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ kind: 'syntax', line: 1, column });
    expect(problems[0]?.why).toMatch(why);
  });

  test('shows the text around the fault, in its line', () => {
    const { problems } = read('{"name": "Ghotuo",\n "scope": I}', 7, 3);
    expect(problems).toMatchObject([{ line: 8, column: 11, text: expect.stringContaining('I}') }]);
  });

  test('reports broken text of very many levels', () => {
    expect(read('['.repeat(100_000)).problems).toMatchObject([{ kind: 'syntax', line: 1 }]);
  });
});
