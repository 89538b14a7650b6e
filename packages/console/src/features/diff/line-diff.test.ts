import fc from 'fast-check';
import { expect, test } from 'vitest';
import { long } from '../../../../engine/tests/budget.fixture.ts';
import { diffLines, withContext } from './line-diff.ts';

const lines = (text: string) => text.split('');

test('pairs equal lines, and changed lines with their replacements', () => {
  expect(diffLines(lines('abcd'), lines('axcd'))).toEqual([
    { before: 'a', after: 'a' },
    { before: 'b', after: 'x' },
    { before: 'c', after: 'c' },
    { before: 'd', after: 'd' },
  ]);
  expect(diffLines(lines('ac'), lines('abc'))[1]).toEqual({ before: undefined, after: 'b' });
  expect(diffLines([], [])).toEqual([]);
});

test('keeps every line of both texts, and pairs as many equal lines as possible', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const pairs = diffLines(before, after);
      expect(pairs.flatMap((pair) => pair.before ?? [])).toEqual(before);
      expect(pairs.flatMap((pair) => pair.after ?? [])).toEqual(after);
      const shared = pairs.filter((pair) => pair.before === pair.after).length;
      expect(shared).toBeGreaterThanOrEqual(longestCommon(before, after));
    }),
  );
});

function longestCommon(a: readonly string[], b: readonly string[]): number {
  const lengths = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const row = lengths[i] ?? [];
      const below = lengths[i + 1] ?? [];
      row[j] = a[i] === b[j] ? 1 + (below[j + 1] ?? 0) : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  return lengths[0]?.[0] ?? 0;
}

test('pairs texts line by line if they have little in common', long, () => {
  const many = (mark: string) => Array.from({ length: 20_000 }, (_, n) => `${mark}${n}`);
  const pairs = diffLines(many('a'), many('b'));
  expect(pairs.length).toBe(20_000);
});

test('replaces equal lines far from a change with their number', () => {
  const pairs = diffLines(lines('0123456789x'), lines('0123456789y'));
  expect(withContext(pairs, 2)).toEqual([
    8,
    { before: '8', after: '8' },
    { before: '9', after: '9' },
    { before: 'x', after: 'y' },
  ]);
});
