import { expect, test } from 'vitest';
import { bytesIn, sizeFieldOf } from './typed-size.ts';

test.each([
  ['', null],
  ['  ', null],
  ['10 GB', 10_000_000_000],
  ['500mb', 500_000_000],
  ['1,5 kB', 1500],
  ['7 B', 7],
  ['7', undefined],
  ['much', undefined],
  ['-1 GB', undefined],
  ['1 GiB', undefined],
  ['9007199254740991 B', Number.MAX_SAFE_INTEGER],
  ['9007199254740992 B', undefined],
  ['10000 TB', undefined],
])('reads %j as %j', (text, bytes) => {
  expect(bytesIn(text)).toBe(bytes);
});

test.each([0, 999, 1500, 1_234_567, 10_000_000_000, 5_000_000_000_001])(
  'writes %d bytes as a text that means the same',
  (bytes) => {
    expect(bytesIn(sizeFieldOf(bytes))).toBe(bytes);
  },
);

test('writes no quota as an empty field', () => {
  expect([sizeFieldOf(undefined), sizeFieldOf(10_000_000_000)]).toEqual(['', '10 GB']);
});
