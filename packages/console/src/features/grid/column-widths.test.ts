import { expect, test } from 'vitest';
import { filled, widthFor } from './column-widths.ts';

test('makes a column as wide as its longest text, within bounds', () => {
  expect(widthFor('', ['1'])).toBe(72);
  expect(widthFor('n', ['x'.repeat(1000)])).toBe(340);
  expect(widthFor('a label of some length', [])).toBeGreaterThan(widthFor('short label here', []));
});

test('fills the available width exactly', () => {
  expect(filled([100, 300], 800)).toEqual([100, 700]);
  expect(filled([100, 100, 200], 700)).toEqual([100, 200, 400]);
  expect(filled([100], 500)).toEqual([500]);
  expect(filled([100, 300], 200)).toEqual([100, 300]);
  expect(filled([100, 100, 100], 1000).reduce((sum, width) => sum + width)).toBe(1000);
  expect(filled([], 500)).toEqual([]);
});

test('keeps a width that the user set if another column can get the free space', () => {
  expect(filled([100, 200, 100], 600, [false, true, false])).toEqual([100, 200, 300]);
  expect(filled([100, 200], 600, [true, true])).toEqual([100, 500]);
});
