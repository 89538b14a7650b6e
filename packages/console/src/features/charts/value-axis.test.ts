import { describe, expect, test } from 'vitest';
import { bytesText } from '../../values/bytes-text.ts';
import { numberText } from './number-text.ts';
import { axisTexts, isWhole, WHOLE_STEPS } from './value-axis.ts';

const chartOf = (...values: (number | null)[]) => ({
  labels: values.map(String),
  series: [
    { name: 'first', total: 0, values: values.map(() => 1) },
    { name: 'second', total: 0, values },
  ],
  isCut: false,
});

describe('the numbers beside a chart', () => {
  test('are whole for counts and bytes, and may be fractions for averages', () => {
    expect([isWhole(chartOf(1, null, 7e9)), isWhole(chartOf()), isWhole(chartOf(1, 0.5))]).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('have whole steps between them, from one to hundreds of terabytes', () => {
    expect(WHOLE_STEPS.slice(0, 7)).toEqual([1, 2, 5, 10, 20, 50, 100]);
    expect(WHOLE_STEPS.every(Number.isSafeInteger)).toBe(true);
    expect(WHOLE_STEPS.at(-1)).toBe(5e14);
  });

  test('name no size twice', () => {
    expect(axisTexts([0, 0.25, 0.5, 0.75, 1], bytesText)).toEqual(['0 B', '', '1 B', '', '']);
    expect(axisTexts([0, 1e6, 2e6], bytesText)).toEqual(['0 B', '1 MB', '2 MB']);
    expect(axisTexts([0, 0.5, 1], numberText)).toEqual(['0', '0.5', '1']);
    expect(axisTexts([], numberText)).toEqual([]);
  });
});
