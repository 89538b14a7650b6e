import { expect, test } from 'vitest';
import { truncate } from './truncate.ts';

test('a name is cut at the limit, and only above it', () => {
  expect(truncate('a'.repeat(20), 20)).toBe('a'.repeat(20));
  expect(truncate('a'.repeat(21), 20)).toBe(`${'a'.repeat(20)}…`);
});

test('a character of two halves is counted once and never cut in two', () => {
  expect(truncate('🦊'.repeat(12), 12)).toBe('🦊'.repeat(12));
  expect(truncate('🦊'.repeat(13), 12)).toBe(`${'🦊'.repeat(12)}…`);
});
