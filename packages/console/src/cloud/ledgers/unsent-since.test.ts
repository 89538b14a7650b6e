import { expect, test } from 'vitest';
import { ageText } from './unsent-since.ts';

test.each([
  [0, 'less than a minute'],
  [-5000, 'less than a minute'],
  [60_000, '1 minute'],
  [7_199_000, '1 hour'],
  [3 * 86_400_000, '3 days'],
])('shows %d ms as %s', (ms, text) => {
  const since = new Date(1_000_000_000_000).toISOString();
  expect(ageText(since, 1_000_000_000_000 + ms)).toBe(text);
});
