import { request as httpRequest } from 'node:http';
import { describe, expect, test } from 'vitest';
import { newApi, TOKEN } from './api.fixture.ts';

describe('documents over HTTP', () => {
  test('creates, reads, replaces, lists and deletes documents', async () => {
    const { send, json, db } = await newApi();
    const created = await send('POST', '/documents', { title: 'Milk' });
    expect(created.status).toBe(201);
    const { id } = (await created.json()) as { id: string };
    expect(created.headers.get('location')).toBe(`/documents/${id}`);
    expect(await json('GET', `/documents/${id}`)).toEqual({ title: 'Milk', _id: id });
    expect((await send('PUT', `/documents/${id}`, { title: 'Bread' })).status).toBe(200);
    expect(await db.get(id)).toEqual({ title: 'Bread', _id: id });
    await send('PUT', '/documents/lists%2Fa%20b%3F', { n: 1 });
    expect(await db.get('lists/a b?')).toEqual({ n: 1, _id: 'lists/a b?' });
    expect(await json('GET', '/documents?prefix=lists%2F')).toEqual({ docs: [{ n: 1, _id: 'lists/a b?' }] });
    for (let n = 0; n < 2; n++) expect((await send('DELETE', `/documents/${id}`)).status).toBe(204);
    const gone = await send('GET', `/documents/${id}`);
    expect([gone.status, await gone.json()]).toEqual([
      404,
      { error: { code: 'NOT_FOUND', message: `Not found: ${id}` } },
    ]);
  });

  test('lists all documents in pages', async () => {
    const { json, db } = await newApi();
    const ids = Array.from({ length: 130 }, (_, n) => `d${String(n).padStart(3, '0')}`);
    await db.bulk(ids.map((_id) => ({ _id })));
    const seen: string[] = [];
    let pages = 0;
    for (let after = ''; ; pages++) {
      const page = await json<{ docs: { _id: string }[]; next?: string }>(
        'GET',
        `/documents?limit=60${after}`,
      );
      seen.push(...page.docs.map(({ _id }) => _id));
      if (page.next === undefined) break;
      after = `&after=${encodeURIComponent(page.next)}`;
    }
    expect([seen, pages]).toEqual([ids, 2]);
  });

  test('ends a page early when its documents are large', async () => {
    const { json, db } = await newApi();
    const text = 'x'.repeat(1_000_000);
    for (let from = 0; from < 120; from += 40)
      await db.bulk(Array.from({ length: 40 }, (_, n) => ({ _id: `d${from + n}`, text })));
    const { docs, next } = await json<{ docs: { _id: string }[]; next: string }>(
      'GET',
      '/documents?limit=1000',
    );
    expect(docs.length).toBeLessThan(120);
    expect(next).toBe(docs.at(-1)?._id);
  });

  test('keeps every field, whatever its name, and changes no prototype', async () => {
    const { send, db } = await newApi();
    // The engine stores fields by length, then by bytes.
    const fields = '"__proto__":{"polluted":true},"prototype":[],"constructor":{"prototype":{"polluted":1}}';
    const text = `{"":0,"_id":"odd","deep":{${fields}},"toJSON":"x",${fields},"hasOwnProperty":null}`;
    await send('PUT', '/documents/odd', text);
    expect(await (await send('GET', '/documents/odd')).text()).toBe(text);
    expect(Object.keys(await db.get('odd'))).toContain('__proto__');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    const where = '{"where":{"__proto__.polluted":true,"constructor.prototype.polluted":1}}';
    expect(await (await send('POST', '/count', where)).text()).toBe('{"count":1}');
    const other = '{"where":{"__proto__":{"gt":1}},"limit":5}';
    expect(await (await send('POST', '/find', other)).text()).toBe('{"docs":[]}');
  });

  test('reads and writes bytes as in DAG-JSON, and leaves all similar objects as they are', async () => {
    const { send, db } = await newApi();
    const text =
      '{"_id":"b","odd":{"/":{"bytes":"AQ=="}},"link":{"/":"a"},"list":[{"/":{}}],"photo":{"/":{"bytes":"AQID"}}}';
    await send('PUT', '/documents/b', text);
    expect(await db.get('b')).toMatchObject({
      photo: Uint8Array.of(1, 2, 3),
      odd: { '/': { bytes: 'AQ==' } },
    });
    expect(await (await send('GET', '/documents/b')).text()).toBe(text);
    await db.put({ _id: 'long', n: 2n ** 60n });
    expect(await (await send('GET', '/documents/long')).text()).toBe(
      '{"n":1152921504606847000,"_id":"long"}',
    );
  });

  test('writes only if the document is in the expected state', async () => {
    const { send } = await newApi();
    const put = (n: number, headers: Record<string, string>) => send('PUT', '/documents/a', { n }, headers);
    expect((await put(0, { 'if-match': '*' })).status).toBe(412);
    const first = await put(1, { 'if-none-match': '*' });
    const tag = first.headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[\w-]{32}"$/);
    expect((await put(2, { 'if-none-match': '*' })).status).toBe(412);
    expect((await send('GET', '/documents/a', undefined, { 'if-none-match': `"x", W/${tag}` })).status).toBe(
      304,
    );
    const two = await Promise.all([put(3, { 'if-match': `"x", ${tag}` }), put(4, { 'if-match': tag })]);
    expect(two.map(({ status }) => status).sort()).toEqual([200, 412]);
    const read = await send('GET', '/documents/a');
    expect(read.headers.get('etag')).toBe(two.find(({ ok }) => ok)?.headers.get('etag'));
    expect((await send('DELETE', '/documents/a', undefined, { 'if-match': tag })).status).toBe(412);
    const now = { 'if-match': read.headers.get('etag') ?? '' };
    expect((await send('DELETE', '/documents/a', undefined, now)).status).toBe(204);
    expect((await send('DELETE', '/documents/a', undefined, now)).status).toBe(412);
    expect((await put(5, { 'if-match': 'no tag' })).status).toBe(400);
    expect((await put(5, { 'if-none-match': tag })).status).toBe(400);
  });

  test('finds, counts, and lists versions and conflicts', async () => {
    const { json, db } = await newApi();
    await db.bulk([1, 2, 3, 4, 5].map((n) => ({ _id: `d${n}`, n })));
    const search = { where: { n: { gte: 2 } }, sort: { n: 'desc' }, limit: 2 };
    const page = await json('POST', '/find', search);
    expect(page).toMatchObject({ docs: [{ n: 5 }, { n: 4 }], next: expect.any(String) });
    expect(await json('POST', '/find', { ...search, after: page['next'] })).toMatchObject({
      docs: [{ n: 3 }, { n: 2 }],
    });
    expect(await json('POST', '/count', { where: search.where })).toEqual({ count: 4 });
    expect(await json('POST', '/count', {})).toEqual({ count: 5 });
    await db.put({ _id: 'd1', n: 10 });
    const versions = await json<{ versions: object[]; next: string }>('GET', '/documents/d1/history?limit=1');
    expect(versions).toMatchObject({ versions: [{ value: { n: 10 } }] });
    const older = await json('GET', `/documents/d1/history?after=${versions.next}`);
    expect(older).toMatchObject({ versions: [{ value: { n: 1 } }] });
    expect(await json('GET', '/conflicts')).toEqual({ conflicts: [] });
  });

  test.each([
    ['PUT', '/documents/a', '{', 400, 'REQUEST_INVALID'],
    ['PUT', '/documents/a', '[]', 400, 'REQUEST_INVALID'],
    ['PUT', '/documents/a', '"text"', 400, 'REQUEST_INVALID'],
    ['PUT', '/documents/a', '{"_id":"b"}', 400, 'REQUEST_INVALID'],
    ['PUT', '/documents/a', '{"_id":1}', 400, 'REQUEST_INVALID'],
    ['PUT', '/documents/a', '{"_deleted":true}', 400, 'REQUEST_INVALID'],
    ['PUT', '/documents/a', '{"n":"\\ud800"}', 400, 'DOC_INVALID'],
    ['PUT', '/documents/a', `{"a":${'['.repeat(220)}${']'.repeat(220)}}`, 400, 'DOC_INVALID'],
    ['PUT', '/documents/a', '['.repeat(1_000_000), 400, 'REQUEST_INVALID'],
    ['PUT', '/documents/%ff', '{}', 400, 'REQUEST_INVALID'],
    ['PUT', '/documents/a?wait=cloud', '{}', 400, 'REQUEST_INVALID'],
    ['PUT', '/documents/a?wait=x', '{}', 400, 'REQUEST_INVALID'],
    ['GET', '/documents?limit=0', undefined, 400, 'REQUEST_INVALID'],
    ['GET', '/documents?limit=1001', undefined, 400, 'REQUEST_INVALID'],
    ['GET', '/documents?limit=1e2', undefined, 400, 'REQUEST_INVALID'],
    ['GET', '/documents?other=1', undefined, 400, 'REQUEST_INVALID'],
    ['GET', '/documents?limit=1&limit=2', undefined, 400, 'REQUEST_INVALID'],
    ['GET', '/documents/a/history?after=x', undefined, 400, 'HEAD_INVALID'],
    ['POST', '/find', '{"limit":0}', 400, 'REQUEST_INVALID'],
    ['POST', '/find', '{"wher":{}}', 400, 'QUERY_INVALID'],
    ['POST', '/find', '{"where":{"a":{"above":1}}}', 400, 'QUERY_INVALID'],
    ['POST', '/find', 'null', 400, 'REQUEST_INVALID'],
    ['POST', '/count', '{"limit":1}', 400, 'REQUEST_INVALID'],
    ['GET', '/changes?since=nowhere', undefined, 400, 'HEAD_INVALID'],
    ['GET', '/nothing', undefined, 404, 'NOT_FOUND'],
    ['GET', '/documents/', undefined, 404, 'NOT_FOUND'],
    ['GET', '/documents/a/b', undefined, 404, 'NOT_FOUND'],
    ['GET', '//documents', undefined, 404, 'NOT_FOUND'],
    ['PATCH', '/documents/a', '{}', 405, 'REQUEST_INVALID'],
    ['GET', '/find', undefined, 405, 'REQUEST_INVALID'],
  ])('rejects %s %s %.40s', async (method, path, body, status, code) => {
    const { send, reports } = await newApi();
    const answer = await send(method, path, body);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toEqual({ error: { code, message: expect.any(String) } });
    expect(reports).toEqual([]);
  });

  test('rejects bodies that are too long, compressed, of another type, or not UTF-8', async () => {
    const { send, api } = await newApi();
    const put = (body: string, headers: Record<string, string>) => send('PUT', '/documents/a', body, headers);
    expect((await put(`{"a":"${'x'.repeat(16_000_000)}"}`, {})).status).toBe(413);
    expect((await put('{}', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await put('{}', { 'content-encoding': 'gzip' })).status).toBe(415);
    const bytes = await fetch(`${api.url}/documents/a`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d),
    });
    expect(bytes.status).toBe(400);
  });

  test('answers 413 to a body of unknown length before its end', async () => {
    const { api } = await newApi();
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const status = await new Promise((resolve, reject) => {
      const call = httpRequest(`${api.url}/documents/a`, { method: 'PUT', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
        call.destroy();
      });
      call.on('error', reject);
      // Never ends the body.
      for (let n = 0; n < 17; n++) call.write('x'.repeat(1_000_000));
    });
    expect(status).toBe(413);
  });

  test('answers HEAD like GET, without a body', async () => {
    const { send, db } = await newApi();
    await db.put({ _id: 'a' });
    const head = await send('HEAD', '/documents/a');
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(head.headers.get('etag')).toBe((await send('GET', '/documents/a')).headers.get('etag'));
  });

  test('rejects writes when it is read-only, but not searches', async () => {
    const { send } = await newApi({ isReadOnly: true });
    for (const [method, path] of [
      ['PUT', '/documents/a'],
      ['DELETE', '/documents/a'],
      ['POST', '/documents'],
    ] as const)
      expect((await send(method, path, method === 'DELETE' ? undefined : {})).status).toBe(403);
    expect((await send('POST', '/find', {})).status).toBe(200);
  });

  test('reports unexpected failures, and tells the client nothing about them', async () => {
    const { send, reports, db } = await newApi();
    const failing = await newApi({ db: { ...db, get: () => Promise.reject(new Error('a secret')) } });
    const answer = await failing.send('GET', '/documents/a');
    expect([answer.status, await answer.text()]).toEqual([
      500,
      '{"error":{"code":"STORE_FAILED","message":"internal error"}}',
    ]);
    expect(failing.reports).toEqual([new Error('a secret')]);
    await db.close();
    expect((await send('GET', '/documents/a')).status).toBe(503);
    expect(reports).toEqual([]);
  });
});
