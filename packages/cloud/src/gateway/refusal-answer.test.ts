import { FieldError, FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { RateLimited } from '../limits/rate-limiter.ts';
import { refusalAnswer, refuse, statusOf, unexpectedMessage } from './refusal-answer.ts';

const body = { tid: 'z1', type: 'reqOpen', version: 'FP-MSG-1.0' };
const answerTo = (cause: unknown) => refusalAnswer(body, cause);

describe('the answer to a refused message', () => {
  test('repeats the id of the message, and contains code and text', () => {
    expect(answerTo(new FixpointError('NOT_FOUND', 'tenant or ledger'))).toMatchObject({
      type: 'error',
      tid: 'z1',
      code: 'NOT_FOUND',
      message: expect.stringContaining('tenant or ledger'),
    });
  });

  test("contains the path of the field, even if the fixed text doesn't mention a field", () => {
    expect(answerTo(new FieldError('meta.keys', 'must be a list'))).toMatchObject({ path: 'meta.keys' });
    expect(answerTo(new FixpointError('INVALID_STORE_TYPE'))).toMatchObject({ path: 'methodParam.store' });
    expect(answerTo(new FixpointError('STORE_MISMATCH'))).toMatchObject({ path: 'urlParam.store' });
    expect(answerTo(new FixpointError('NOT_FOUND'))).not.toHaveProperty('path');
  });

  test('contains the time to retry, and which objects are missing', () => {
    expect(answerTo(new RateLimited(4200))).toMatchObject({ code: 'RATE_LIMITED', retryAfter: 5 });
    const cause = { objects: ['car/a'] };
    expect(answerTo(new FixpointError('MISSING_CARS', 'car/a', { cause }))).toMatchObject({
      objects: ['car/a'],
    });
    expect(answerTo(new FixpointError('CONFLICT', 'x', { cause }))).not.toHaveProperty('objects');
  });

  test('reveals nothing about a fault of the server', () => {
    const answer = answerTo(new Error('password of the database'));
    expect(answer).toMatchObject({ type: 'error', message: 'internal error' });
    expect(JSON.stringify(answer)).not.toContain('password');
    expect(answer).not.toHaveProperty('code', expect.anything());
  });

  test('is an error even for a body that is not an object', () => {
    for (const odd of [undefined, null, 'text', 3])
      expect(refusalAnswer(odd, new FixpointError('REQUEST_INVALID', 'x'))).toMatchObject({ type: 'error' });
  });
});

describe('the HTTP status of an answer', () => {
  const statusFor = (cause: unknown) => statusOf(answerTo(cause));

  test('is 200 for an answer that is not an error', () => {
    expect(statusOf({ type: 'resOpen', tid: 'z1' })).toBe(200);
  });

  test('is 500 where existing clients expect it', () => {
    for (const code of ['AUTH_JWK_REQUIRED', 'NOT_SIGNED_IN', 'NO_CONNECTION', 'NOT_FOUND'] as const)
      expect(statusFor(refuse(code, 'text')), code).toBe(500);
    expect(statusFor(unexpectedMessage('type'))).toBe(500);
    expect(statusFor(new Error('fault'))).toBe(500);
  });

  test.each([
    ['REQUEST_INVALID', 400],
    ['FORBIDDEN', 403],
    ['CONFLICT', 409],
    ['MISSING_CARS', 409],
    ['RATE_LIMITED', 429],
    ['STORE_FAILED', 503],
    ['STORE_FULL', 507],
  ] as const)('matches the code: %s is %i', (code, status) =>
    expect(statusFor(new FixpointError(code, 'x'))).toBe(status),
  );
});
