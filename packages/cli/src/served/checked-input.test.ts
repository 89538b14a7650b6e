import { describe, expect, test } from 'vitest';
import { allowOnly, fieldOf, fieldsOf, limitOf, textOf } from './checked-input.ts';

const invalid = expect.objectContaining({ code: 'REQUEST_INVALID' });

describe('checks of input', () => {
  test.each([null, undefined, [], 'text', 1, true])('rejects %j as an object', (value) => {
    expect(() => fieldsOf(value, 'the document')).toThrow(invalid);
    expect(() => fieldsOf(value, 'the document')).toThrow('the document is not an object');
  });

  test('returns the very object that it checked', () => {
    const value = JSON.parse('{"__proto__":1,"constructor":2}') as object;
    expect(fieldsOf(value, 'x')).toBe(value);
  });

  test('reads own fields only', () => {
    expect(fieldOf({}, 'constructor')).toBeUndefined();
    expect(fieldOf({}, '__proto__')).toBeUndefined();
    expect(fieldOf(JSON.parse('{"__proto__":5}'), '__proto__')).toBe(5);
    expect(fieldOf(Object.create({ inherited: 1 }), 'inherited')).toBeUndefined();
  });

  test('rejects fields that would be ignored, whatever their name', () => {
    expect(() => allowOnly({ a: 1 }, ['a', 'b'], 'x')).not.toThrow();
    for (const text of ['{"c":1}', '{"__proto__":1}', '{"constructor":1}', '{"":1}'])
      expect(() => allowOnly(JSON.parse(text), ['a'], 'x'), text).toThrow(invalid);
  });

  test.each([0, -1, 1.5, 1001, Number.NaN, Number.POSITIVE_INFINITY, '5', null, true, [5]])(
    'rejects %j as a limit',
    (limit) => {
      expect(() => limitOf(limit)).toThrow(invalid);
    },
  );

  test('accepts limits from 1 to 1000, and returns 100 without one', () => {
    expect([1, 1000, undefined].map(limitOf)).toEqual([1, 1000, 100]);
  });

  test('rejects anything but a text that is not empty', () => {
    expect(textOf('a', 'id')).toBe('a');
    for (const value of ['', 1, null, undefined, {}, ['a']])
      expect(() => textOf(value, 'id')).toThrow('id is not a text');
  });
});
