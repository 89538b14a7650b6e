import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { errorMessage } from './error.ts';
import { inValibot } from './in-valibot.fixture.ts';
import type { Shape } from './shape.ts';
import {
  answers,
  REFUSED_REQUESTS,
  readAnswer,
  readRequest,
  requestMessage,
  requests,
} from './storage-messages.ts';

const conn = { reqId: 'q', resId: 's' };
const stored = {
  conn,
  tenant: { tenant: 't', ledger: 'l' },
  methodParam: { method: 'PUT', store: 'car' },
  urlParam: { key: 'baembei' },
};
const print = (schemas: Readonly<Record<string, Shape<unknown>>>) =>
  createHash('sha256')
    .update(JSON.stringify(variantOf(schemas), (key, value) => (key.startsWith('~') ? undefined : value)))
    .digest('hex')
    .slice(0, 12);

/** Wraps the shapes in one schema of valibot, as the code did when the hashes were recorded. */
const variantOf = (shapes: Readonly<Record<string, Shape<unknown>>>) => ({
  kind: 'schema',
  type: 'variant',
  expects: 'Object',
  async: false,
  key: 'type',
  options: Object.values(shapes).map(inValibot),
});

describe('storage messages', () => {
  test('[W1] keeps the wire shape of every message', () => {
    // A new value here means that older clients or servers may not understand this version. Only
    // additional optional fields are allowed.
    const { reqPresence, ...otherRequests } = requests;
    const { resPresence, ...otherAnswers } = answers;
    expect(print(otherRequests)).toMatchInlineSnapshot(`"0d3302e5a68b"`);
    expect(print(otherAnswers)).toMatchInlineSnapshot(`"6eb401b00ef7"`);
    expect(print({ reqPresence, resPresence })).toMatchInlineSnapshot(`"d9c213bac064"`);
  });

  test('[W1] accepts and keeps unknown versions and fields', () => {
    const request = {
      ...requestMessage('reqPutData', 'z1', 'token', stored),
      version: 'v0.1-fp-cloud',
      later: { more: [1] },
    };
    const urlParam = { ...stored.urlParam, store: 'car', tenant: 't', ledger: 'l', name: 'toCloud' };
    expect(readRequest({ ...request, urlParam })).toEqual({ ...request, urlParam });
  });

  test('[7] accepts metas with params instead of methodParam and urlParam, and without a tenant', () => {
    const request = requestMessage('reqPutMeta', 'z1', 'token', {
      conn,
      params: { method: 'PUT', store: 'meta', key: 'main' },
      meta: { metas: [], keys: [] },
    });
    expect(readRequest(request)).toBeDefined();
  });

  test('rejects the chat requests', () => {
    for (const type of REFUSED_REQUESTS)
      expect(
        readRequest({ ...requestMessage('reqPutData', 'z1', 'token', stored), type }) !== undefined,
      ).toBe(false);
  });

  test.each([
    [{ type: 'reqOpen', conn: { reqId: 'q' } }, true],
    [{ type: 'reqOpen', conn }, true],
    [{ type: 'reqOpen', conn: {} }, false],
    [{ type: 'reqOpen' }, false],
    [{ type: 'reqGetData', ...stored, conn: { reqId: 'q' } }, false],
    [{ type: 'bindGetMeta', conn, cursor: 7 }, true],
    [{ type: 'bindGetMeta', conn, cursor: 'seven' }, false],
    [{ type: 'reqPutMeta', conn, meta: { metas: [{ cid: 'b' }], keys: [] } }, false],
  ])('checks whether %j is a request: %s', (fields, valid) => {
    const auth = { type: 'fp-cloud-jwk', params: { jwk: 'token' } };
    expect(readRequest({ tid: 'z1', auth, ...fields }) !== undefined).toBe(valid);
  });

  test.each([
    null,
    undefined,
    'reqOpen',
    [],
    {},
    { type: 'toString' },
    { type: ['reqOpen'] },
    { type: { toString: 1 } },
  ])('[R20] rejects %j', (value) => {
    expect(readRequest(value)).toBeUndefined();
    expect(readAnswer(value)).toBeUndefined();
  });

  test('[S15] repeats neither token nor connection of the request in an error', () => {
    const request = requestMessage('reqPutData', 'z1', 'secret', stored);
    const message = errorMessage(request, 'Not found', 'NOT_FOUND');
    expect(JSON.stringify(message)).not.toContain('secret');
    expect(message).not.toHaveProperty('conn');
    expect(readAnswer(message)).toMatchObject({ type: 'error', tid: 'z1', message: 'Not found' });
    expect(errorMessage(undefined, 'x', undefined).tid).toBe('internal');
  });
});
