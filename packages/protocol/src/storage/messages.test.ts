import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { errorMessage } from './error.ts';
import { answers, REFUSED_REQUESTS, requestMessage, requests } from './messages.ts';

const conn = { reqId: 'q', resId: 's' };
const stored = {
  conn,
  tenant: { tenant: 't', ledger: 'l' },
  methodParam: { method: 'PUT', store: 'car' },
  urlParam: { key: 'baembei' },
};
const print = (schema: z.ZodMiniType) =>
  createHash('sha256')
    .update(JSON.stringify(z.toJSONSchema(schema, { io: 'input' })))
    .digest('hex')
    .slice(0, 12);

describe('storage messages', () => {
  test('[W1] the shape on the wire changes only on purpose', () => {
    // A new value here means that older clients or servers may not understand this one. Fields may be added as optional ones, nothing else may change.
    expect(print(requests)).toMatchInlineSnapshot(`"35cfb50f207f"`);
    expect(print(answers)).toMatchInlineSnapshot(`"0e8c21706a73"`);
  });

  test('[W1] versions and fields that are not known are let through and kept', () => {
    const request = {
      ...requestMessage('reqPutData', 'z1', 'token', stored),
      version: 'v0.1-fp-cloud',
      later: { more: [1] },
    };
    const urlParam = { ...stored.urlParam, store: 'car', tenant: 't', ledger: 'l', name: 'toCloud' };
    expect(requests.parse({ ...request, urlParam })).toEqual({ ...request, urlParam });
  });

  test('[7] metas may come with params instead of methodParam and urlParam, and without a tenant', () => {
    const request = requestMessage('reqPutMeta', 'z1', 'token', {
      conn,
      params: { method: 'PUT', store: 'meta', key: 'main' },
      meta: { metas: [], keys: [] },
    });
    expect(requests.safeParse(request).success).toBe(true);
  });

  test('the chat is no request of this product', () => {
    for (const type of REFUSED_REQUESTS)
      expect(
        requests.safeParse({ ...requestMessage('reqPutData', 'z1', 'token', stored), type }).success,
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
  ])('%j is a request: %s', (fields, valid) => {
    const auth = { type: 'fp-cloud-jwk', params: { jwk: 'token' } };
    expect(requests.safeParse({ tid: 'z1', auth, ...fields }).success).toBe(valid);
  });

  test('[S15] an error repeats neither token nor connection of the request', () => {
    const request = requestMessage('reqPutData', 'z1', 'secret', stored);
    const message = errorMessage(request, 'Not found', 'NOT_FOUND');
    expect(JSON.stringify(message)).not.toContain('secret');
    expect(message).not.toHaveProperty('conn');
    expect(answers.parse(message)).toMatchObject({ type: 'error', tid: 'z1', message: 'Not found' });
    expect(errorMessage(undefined, 'x', undefined).tid).toBe('internal');
  });
});
