import { expect, test } from 'vitest';
import { groupedText, numberText } from './number-text.ts';

test.each([
  ['7063', '7,063'],
  ['-1234567', '-1,234,567'],
  ['12', '12'],
  ['1234.5', '1234.5'],
  ['9007199254740993', '9007199254740993'],
  ['"7063"', '"7063"'],
  ['{"sum":7063}', '{"sum":7063}'],
  ['', ''],
])('groups the thousands of %s: %s', (text, grouped) => {
  expect(groupedText(text)).toBe(grouped);
});

test('rounds fractions, and no whole numbers', () => {
  expect([numberText(1234567), numberText(1234.56789), numberText(-0.5)]).toEqual([
    '1,234,567',
    '1,234.57',
    '-0.5',
  ]);
});
