import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lostNumber, lostNumberIn, lostText, repeatsFields } from './json-losses.ts';

describe('a number', () => {
  test.each([
    ['9007199254740993', '9007199254740992'],
    ['-9007199254740993', '-9007199254740992'],
    ['12345678901234567890', '12345678901234567000'],
    ['0.1234567890123456789', '0.12345678901234568'],
    ['3.141592653589793238', '3.141592653589793'],
    ['1e-400', '0'],
    ['123456789012345678e-3', '123456789012345.67'],
    ['1e309', undefined],
    ['1e99999', undefined],
  ])('loses digits of %s, which becomes %s', (digits, kept) => {
    expect(lostNumber(digits)).toEqual({ digits, kept });
    expect(lostNumberIn(`{"a": [${digits}]}`)).toEqual({ digits, kept });
    expect(lostNumberIn(`["${digits}", "a\\"${digits}"]`)).toBeUndefined();
  });

  test.each([
    '0',
    '-0',
    '0.0',
    '00',
    '1.50',
    '15e-1',
    '1E+2',
    '100',
    '9007199254740992',
    '12345678901234567000',
    '1e22',
    '5e-324',
    '1.7976931348623157e308',
    '0.30000000000000004',
    '-1.5e-7',
    '0.1000000000000000000',
  ])('keeps the value of %s', (digits) => {
    expect(lostNumber(digits)).toBeUndefined();
  });

  test('keeps its digits if it was written from a number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.nat(20), (number, zeros) => {
        const digits = String(number);
        expect(lostNumber(digits)).toBeUndefined();
        const [mantissa = '', exponent] = digits.split('e');
        const padded = `${mantissa}${mantissa.includes('.') ? '' : '.'}${'0'.repeat(zeros + 1)}`;
        expect(lostNumber(exponent === undefined ? padded : `${padded}e${exponent}`)).toBeUndefined();
      }),
    );
  });

  test('loses digits of an integer exactly if the written number is another integer', () => {
    /** Returns the integer that a number is written as, such as 1.5e+24. */
    const written = (number: number): bigint => {
      const [mantissa = '', exponent = '0'] = String(number).split('e');
      const [whole = '', part = ''] = mantissa.split('.');
      return BigInt(whole + part) * 10n ** BigInt(Number(exponent) - part.length);
    };
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), fc.nat(20), (integer, zeros) => {
        const rounded = integer - (integer % 10n ** BigInt(zeros));
        for (const one of [integer, rounded])
          expect(lostNumber(String(one)) === undefined).toBe(written(Number(one)) === one);
      }),
    );
  });

  test('names the number together with what to do, shortened if it is long', () => {
    const how = 'Write it as text.';
    expect(lostText({ digits: '9007199254740993', kept: '9007199254740992' }, how)).toBe(
      '9007199254740993 would become 9007199254740992. Write it as text.',
    );
    expect(lostText({ digits: '9'.repeat(400), kept: undefined }, how)).toMatch(/^9{40}… is too large/);
  });
});

describe('repeated fields', () => {
  test.each([
    ['{"a":1,"a":1}', true],
    ['{"a":1,"\\u0061":2}', true],
    ['[{"b":{"a":1,"a":2}}]', true],
    ['{"__proto__":1,"__proto__":2}', true],
    ['{"a" : 1, "a"\n:2}', true],
    ['{"a":"\\":","a":"\\":"}', true],
    ['{"a":"\\"a\\":1"}', false],
    ['{"a":{"a":{"a":1}}}', false],
    ['[{"a":1},{"a":1}]', false],
    ['{"a":"\\\\","b":1}', false],
    ['"a\\":"', false],
    ['7', false],
  ])('finds repeated fields in %s: %s', (json, expected) => {
    expect(repeatsFields(json, JSON.parse(json))).toBe(expected);
  });

  test('finds a repeated field wherever it is added to a document', () => {
    const names = fc.string({ unit: fc.constantFrom('"', ':', '\\', 'a', ' ', '{', ',') });
    const value = fc.jsonValue({ maxDepth: 2, stringUnit: 'binary' });
    const entries = fc.uniqueArray(fc.tuple(names, value), { selector: ([name]) => name, minLength: 1 });
    fc.assert(
      fc.property(entries, fc.nat(), (fields, pick) => {
        const text = (all: typeof fields) =>
          `{${all.map(([name, one]) => `${JSON.stringify(name)}:${JSON.stringify(one)}`).join()}}`;
        const single = text(fields);
        expect(repeatsFields(single, JSON.parse(single))).toBe(false);
        const again = fields[pick % fields.length] as (typeof fields)[number];
        const double = text([...fields, again]);
        expect(repeatsFields(double, JSON.parse(double))).toBe(true);
      }),
    );
  });
});

describe('[R20] texts of many megabytes', () => {
  // A text that contains JSON, so that a search for names has to look at each token.
  const inner = '{"a":"\\\\"},'.repeat(1_200_000);

  test('skips them in the search for repeated fields', () => {
    const json = JSON.stringify({ inner, a: 1 });
    expect(repeatsFields(json, JSON.parse(json))).toBe(false);
    const double = `${json.slice(0, -1)},"a":2}`;
    expect(repeatsFields(double, JSON.parse(double))).toBe(true);
  });

  test('skips them in the search for numbers that lose digits', () => {
    const json = `[${JSON.stringify(`${inner}9007199254740993`)},9007199254740995]`;
    expect(lostNumberIn(json)?.digits).toBe('9007199254740995');
  });
});
