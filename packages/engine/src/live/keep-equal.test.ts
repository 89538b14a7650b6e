import { describe, expect, test } from 'vitest';
import { isEqual, keepEqualRows } from './keep-equal.ts';

describe('isEqual', () => {
  test.each([
    ['numbers, with NaN equal to itself', Number.NaN, Number.NaN, true],
    ['nested objects by content', { a: [{ b: 1 }] }, { a: [{ b: 1 }] }, true],
    ['objects with different numbers of fields', { a: 1 }, { a: 1, b: undefined }, false],
    ['a list and an object', [], {}, false],
    ['lists of different lengths', [1], [1, 2], false],
    ['bytes by content', new Uint8Array([1, 2]), new Uint8Array([1, 2]), true],
    ['bytes that differ', new Uint8Array([1, 2]), new Uint8Array([1, 3]), false],
    ['dates by their time', new Date(5), new Date(5), true],
    ['dates that differ', new Date(5), new Date(6), false],
    ['a date and an object', new Date(5), {}, false],
  ])('compares %s', (_, a, b, expected) => {
    expect([isEqual(a, b), isEqual(b, a)]).toEqual([expected, expected]);
  });
});

describe('[S10] fields named like members of every object', () => {
  const NAMES = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', 'then', 'asCID', ''];
  const hostile = (value: unknown) => ({
    ...Object.fromEntries(NAMES.map((name) => [name, value])),
    _id: '__proto__',
  });

  test('compares documents with these fields correctly', () => {
    expect(isEqual(hostile(1), hostile(1))).toBe(true);
    expect(isEqual(hostile({ toString: 1 }), hostile({ toString: 1 }))).toBe(true);
    for (const name of NAMES) {
      const other = Object.fromEntries([...Object.entries(hostile(1)), [name, 2]]);
      expect(isEqual(hostile(1), other)).toBe(false);
      expect(isEqual(other, hostile(1))).toBe(false);
    }
  });
});

describe('keepEqualRows', () => {
  const row = (id: string, value: number) => ({ id, key: value, value: { n: value } });

  test('returns the previous list when all rows are equal', () => {
    const before = [row('a', 1), row('b', 2)];
    expect(keepEqualRows(before, [row('a', 1), row('b', 2)])).toBe(before);
  });

  test('keeps the objects of equal rows, and replaces the changed row', () => {
    const before = [row('a', 1), row('b', 2)];
    const now = keepEqualRows(before, [row('a', 1), row('b', 3)]);
    expect([now[0] === before[0], now[1]]).toEqual([true, row('b', 3)]);
  });

  test('compares each row of a document that has several rows with the previous version of the same row', () => {
    const before = [row('a', 1), row('a', 2)];
    const now = keepEqualRows(before, [row('a', 1), row('a', 2), row('a', 3)]);
    expect([now[0] === before[0], now[1] === before[1], now.length]).toEqual([true, true, 3]);
  });
});
