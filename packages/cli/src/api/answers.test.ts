import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { ApiError, answerOf } from './answers.ts';

function answered(cause: unknown) {
  const reports: unknown[] = [];
  const { status, headers, json = '' } = answerOf(cause, (one) => void reports.push(one));
  return { status, headers, body: JSON.parse(json) as unknown, reports };
}

describe('answers to failures', () => {
  test.each([
    ['NOT_FOUND', 404],
    ['DOC_INVALID', 400],
    ['QUERY_INVALID', 400],
    ['HEAD_INVALID', 400],
    ['KEY_INVALID', 400],
    ['CONFLICT', 412],
    ['HISTORY_COMPACTED', 410],
    ['LIMIT_REACHED', 413],
    ['STORE_FULL', 507],
    ['DATABASE_CLOSED', 503],
  ] as const)('answers %s with its status, and reports nothing', (code, status) => {
    const cause = new FixpointError(code, 'detail');
    expect(answered(cause)).toMatchObject({
      status,
      body: { error: { code, message: cause.message } },
      reports: [],
    });
  });

  test.each(['CORRUPT', 'MISSING_BLOCK', 'STORE_FAILED', 'KEY_UNKNOWN'] as const)(
    'reports %s as a fault',
    (code) => {
      const cause = new FixpointError(code);
      expect(answered(cause)).toMatchObject({ status: 500, body: { error: { code } }, reports: [cause] });
    },
  );

  test('tells the client nothing about bugs', () => {
    const cause = new TypeError('a path /home/ada/secret');
    expect(answered(cause)).toEqual({
      status: 500,
      headers: undefined,
      body: { error: { code: 'STORE_FAILED', message: 'internal error' } },
      reports: [cause],
    });
  });

  test('keeps the status and headers of a rejected request', () => {
    const cause = new ApiError(405, 'REQUEST_INVALID', 'no such method', { allow: 'GET' });
    expect(answered(cause)).toEqual({
      status: 405,
      headers: { allow: 'GET' },
      body: { error: { code: 'REQUEST_INVALID', message: 'no such method' } },
      reports: [],
    });
  });
});
