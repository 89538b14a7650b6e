import { expect, test } from 'vitest';
import { createTotal } from './total.ts';

const sum = (numbers: readonly number[]) => {
  const total = createTotal();
  for (const number of numbers) total.add(number);
  return total.sum();
};

test('adds prices to the sum that people expect', () => {
  const cents = Array.from({ length: 1000 }, (_, at) => (at * 37) % 1999);
  expect(sum(cents.map((one) => one / 100))).toBe(cents.reduce((all, one) => all + one, 0) / 100);
});

test.each([
  ['no numbers', [], 0],
  ['a small number between large ones', [1e16, 1, -1e16], 1],
  ['a large number after a small one', [1, 1e16, -1e16], 1],
  ['numbers over the largest one', [1.7e308, 1.7e308], Number.POSITIVE_INFINITY],
  ['more numbers after an overflow', [1.7e308, 1.7e308, -1.7e308], Number.POSITIVE_INFINITY],
  ['numbers under the least one', [-1.7e308, -1.7e308, 1], Number.NEGATIVE_INFINITY],
])('returns the sum of %s', (_, numbers, expected) => {
  expect(sum(numbers)).toBe(expected);
});
