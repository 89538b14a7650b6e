import { expect, test } from 'vitest';
import { truncate } from './truncate.ts';

test('a name is cut at the limit, and only above it', () => {
  expect(truncate('a'.repeat(20), 20)).toBe('a'.repeat(20));
  expect(truncate('a'.repeat(21), 20)).toBe(`${'a'.repeat(20)}…`);
});
