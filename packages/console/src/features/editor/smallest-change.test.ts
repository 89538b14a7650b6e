import fc from 'fast-check';
import { expect, test } from 'vitest';
import { smallestChange } from './smallest-change.ts';

test('excludes the common beginning and end of both texts', () => {
  expect(smallestChange('{"a": 1}', '{"a": 12}')).toEqual({ from: 7, to: 7, insert: '2' });
  expect(smallestChange('aaa', 'aa')).toEqual({ from: 2, to: 3, insert: '' });
  expect(smallestChange('same', 'same')).toBeUndefined();
});

test('returns a change that turns one text into the other', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { from, to, insert } = smallestChange(before, after) ?? { from: 0, to: 0, insert: '' };
      expect(before.slice(0, from) + insert + before.slice(to)).toBe(after);
    }),
  );
});
