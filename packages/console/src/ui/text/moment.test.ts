import { expect, test } from 'vitest';
import { agoOf, clockOf, dayOf, momentOf, timeOf } from './moment.ts';

const NOW = Date.parse('2026-11-27T12:00:00Z');
const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];
const dated = (ms: number) => timeOf(new Date(ms).toISOString());

test.each([
  [0, 'just now'],
  [59 * SECOND, 'just now'],
  [MINUTE, '1 minute ago'],
  [59 * MINUTE, '59 minutes ago'],
  [HOUR, '1 hour ago'],
  [23 * HOUR, '23 hours ago'],
  [DAY, '1 day ago'],
  [7 * DAY - 1, '6 days ago'],
])('names a time %i ms ago', (passed, text) => {
  expect(agoOf(NOW - passed, NOW)).toBe(text);
});

test('shows a date for times long ago and for times to come', () => {
  for (const ms of [NOW - 7 * DAY, NOW + 2 * MINUTE, NOW + 400 * DAY]) expect(agoOf(ms, NOW)).toBe(dated(ms));
  expect(agoOf(NOW + 30 * SECOND, NOW)).toBe('just now');
});

test('names today, and the date of other days, before the time of day', () => {
  const now = Date.now();
  expect(momentOf(now)).toBe(`Today, ${clockOf(now)}`);
  const earlier = now - 2 * DAY;
  expect(momentOf(earlier)).toBe(`${dayOf(new Date(earlier).toISOString())}, ${clockOf(earlier)}`);
});
