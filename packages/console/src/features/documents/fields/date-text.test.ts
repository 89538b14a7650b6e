import { expect, test } from 'vitest';
import { dateIn } from './date-text.ts';

test.each<[string, string, string, string]>([
  ['2026-11-23', 'date', '2026-11-24', '2026-11-24'],
  ['2026-11-23T10:05', 'datetime-local', '2026-11-23T11:06', '2026-11-23T11:06'],
  ['2026-11-23T10:05:30Z', 'datetime-local', '2026-11-23T11:06', '2026-11-23T11:06:00Z'],
  ['2026-11-23T10:05:30.250Z', 'datetime-local', '2026-11-23T11:06', '2026-11-23T11:06:00.000Z'],
])('writes a changed date in the form of %s', (text, type, value, expected) => {
  const date = dateIn(text);
  expect([date?.type, date?.textOf(date.value), date?.textOf(value)]).toEqual([type, text, expected]);
});

test.each(['2026-13-01', '2026-02-30', '23.11.2026', '2026', '2026-11-23T10:05:30+02:00', ''])(
  'takes %j for a text, not for a date',
  (text) => expect(dateIn(text)).toBeUndefined(),
);
