import { expect, test } from 'vitest';
import { truncate } from './truncate.ts';

test('cuts a name only if the name is longer than the limit', () => {
  expect(truncate('a'.repeat(20), 20)).toBe('a'.repeat(20));
  expect(truncate('a'.repeat(21), 20)).toBe(`${'a'.repeat(20)}…`);
});

test('counts a surrogate pair as one character and never splits it', () => {
  expect(truncate('🦊'.repeat(12), 12)).toBe('🦊'.repeat(12));
  expect(truncate('🦊'.repeat(13), 12)).toBe(`${'🦊'.repeat(12)}…`);
});
