import { describe, expect, test } from 'vitest';
import { bytesText } from '../../values/bytes-text.ts';
import { axisTexts, groupedText, isWhole, numberText, WHOLE_STEPS } from './number-text.ts';

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

const chartOf = (...values: (number | null)[]) => ({
  labels: values.map(String),
  series: [
    { name: 'first', total: 0, values: values.map(() => 1) },
    { name: 'second', total: 0, values },
  ],
  isCut: false,
});

describe('the numbers beside a chart', () => {
  test('calls counts and bytes whole, but not averages', () => {
    expect([isWhole(chartOf(1, null, 7e9)), isWhole(chartOf()), isWhole(chartOf(1, 0.5))]).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('has whole steps from one to hundreds of terabytes', () => {
    expect(WHOLE_STEPS.slice(0, 7)).toEqual([1, 2, 5, 10, 20, 50, 100]);
    expect(WHOLE_STEPS.every(Number.isSafeInteger)).toBe(true);
    expect(WHOLE_STEPS.at(-1)).toBe(5e14);
  });

  test('names no size twice', () => {
    expect(axisTexts([0, 0.25, 0.5, 0.75, 1], bytesText)).toEqual(['0 B', '', '1 B', '', '']);
    expect(axisTexts([0, 1e6, 2e6], bytesText)).toEqual(['0 B', '1 MB', '2 MB']);
    expect(axisTexts([0, 0.5, 1], numberText)).toEqual(['0', '0.5', '1']);
    expect(axisTexts([], numberText)).toEqual([]);
  });
});
