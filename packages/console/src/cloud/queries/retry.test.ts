import { FixpointError } from '@fixpoint/protocol';
import { expect, test } from 'vitest';
import { isSlow, isWorthRetrying } from './retry.ts';

const answered = (text: string) => {
  const error = new FixpointError('HTTP');
  error.message = text;
  return error;
};

test.each([
  new FixpointError('FETCH', 'Failed to fetch'),
  answered('HTTP: 503 Service Unavailable: '),
  answered('HTTP: 429 : {}'),
])('retries after %s', (error) => {
  expect(isWorthRetrying(error)).toBe(true);
});

test.each([
  new FixpointError('LIMIT_REACHED'),
  new FixpointError('NOT_SIGNED_IN'),
  answered('HTTP: 404 Not Found: no 500 here'),
  new Error('x'),
])('does not retry after %s', (error) => {
  expect(isWorthRetrying(error)).toBe(false);
});

test('detects a slow connection by its type, or by the data saver', () => {
  expect([
    isSlow({}),
    isSlow({ effectiveType: '4g' }),
    isSlow({ effectiveType: '2g' }),
    isSlow({ saveData: true }),
  ]).toEqual([false, false, true, true]);
});
