import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { failureText } from './failure-text.ts';

describe('the text of a database error', () => {
  test('says what happened, then what to do', () => {
    const text = failureText(new FixpointError('STORE_LOCKED', 'notes'));
    expect(text).toContain('notes');
    expect(text).toMatch(/\. Close other pages that use this database, then try again\.$/);
  });

  test('is the message alone where nothing can be advised', () => {
    const error = new FixpointError('NOT_FOUND', 'milk');
    expect(failureText(error)).toBe(error.message);
    expect(failureText(new Error('odd'))).toBe('odd');
  });

  test('is what was thrown when that is no error', () => {
    expect(failureText('plain')).toBe('plain');
    expect(failureText(undefined)).toBe('undefined');
  });
});
