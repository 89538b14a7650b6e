import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { failureText } from './failure-text.ts';

test('shows the server’s reason, and what to do about the error', () => {
  const error = new FixpointError('LIMIT_REACHED', undefined, { cause: 'limit reached: 5 tenants' });
  error.message = 'HTTP: 409 Conflict: {"message":"limit reached: 5 tenants"}';
  expect(failureText(error)).toBe(
    'limit reached: 5 tenants. Delete something that counts towards this limit, or ask the operator of this server to raise it.',
  );
});

test('[8.1] shows the status of an answer without a reason', () => {
  const error = new FixpointError('HTTP', undefined, { cause: '<html>' });
  error.message = 'HTTP: 502 Bad Gateway: <html>';
  expect(failureText(error)).toMatch(/^HTTP: 502 Bad Gateway: <html>\. Try again/);
});

test('[8.2] reports that there is no session', () => {
  expect(failureText(new FixpointError('NO_TOKEN'))).toBe('No token available. Sign in again.');
});

test('starts with what to do when the server couldn’t be reached', () => {
  expect(failureText(new FixpointError('FETCH', 'Failed to fetch'))).toBe(
    'Couldn’t reach the server. Check your connection, then try again. (fetch error: Failed to fetch)',
  );
});

test('shows an error that isn’t from Fixpoint unchanged', () => {
  expect([failureText(new Error('boom')), failureText('odd')]).toEqual(['boom', 'odd']);
});

describe('the text of a database error', () => {
  test('says what happened, then what to do', () => {
    const text = failureText(new FixpointError('STORE_LOCKED', 'notes'));
    expect(text).toContain('notes');
    expect(text).toMatch(/\. Close other pages that use this database, then try again\.$/);
  });

  test.each([
    ['STORE_FULL', /^This browser’s storage is full\. Delete data/],
    ['STORE_UNREADABLE', /^The browser couldn’t open its storage\. If this is a private window/],
  ] as const)('has no internal reason for %s', (code, text) => {
    expect(failureText(new FixpointError(code, 'no IndexedDB here'))).toMatch(text);
  });

  test('is only the message if there is no advice', () => {
    const error = new FixpointError('NOT_FOUND', 'milk');
    expect(failureText(error)).toBe(error.message);
    expect(failureText(new Error('odd'))).toBe('odd');
  });

  test('is the thrown value as text if the value isn’t an error', () => {
    expect(failureText('plain')).toBe('plain');
    expect(failureText(undefined)).toBe('undefined');
  });
});
