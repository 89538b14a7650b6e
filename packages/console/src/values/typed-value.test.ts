import { expect, test } from 'vitest';
import { typedText, typedValue } from './typed-value.ts';

test.each<[unknown, string]>([
  ['milk', 'milk'],
  ['7', '"7"'],
  [7, '7'],
  [null, 'null'],
  [{ n: [1] }, '{"n":[1]}'],
  [undefined, ''],
])('writes %j as %s, and reads it again', (value, text) => {
  expect(typedText(value)).toBe(text);
  if (value !== undefined) expect(typedValue(text)).toEqual(value);
});

test('writes all digits of a long integer, and an object that contains one', () => {
  expect([typedText(2n ** 60n + 1n), typedText({ n: 5n })]).toEqual(['1152921504606846977', '{"n":5}']);
});
