import { expect, test } from 'vitest';
import { rowAfterKey } from './use-row-focus.ts';

test('moves from row to row by arrow and page keys, and never past the ends', () => {
  expect(rowAfterKey('ArrowDown', 0, 10, 4)).toBe(1);
  expect(rowAfterKey('ArrowUp', 0, 10, 4)).toBe(0);
  expect(rowAfterKey('PageDown', 7, 10, 4)).toBe(9);
  expect(rowAfterKey('PageUp', 7, 10, 4)).toBe(3);
  expect(rowAfterKey('Home', 7, 10, 4)).toBe(0);
  expect(rowAfterKey('End', 7, 10, 4)).toBe(9);
});

test('ignores other keys', () => {
  expect(['Enter', 'a', 'toString', 'Tab'].map((key) => rowAfterKey(key, 3, 10, 4))).toEqual(
    new Array(4).fill(undefined),
  );
});
