import { expect, test } from 'vitest';
import { bytesText } from './bytes-text.ts';

test('formats sizes briefly', () => {
  expect([0, 999, 1000, 1549, 99_949, 123_456, 5e12].map(bytesText)).toEqual([
    '0 B',
    '999 B',
    '1 kB',
    '1.5 kB',
    '99.9 kB',
    '123 kB',
    '5 TB',
  ]);
});
