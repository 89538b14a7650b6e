import { describe, expect, test } from 'vitest';
import { newApi, TOKEN } from './api.fixture.ts';

const LONG = 9_000_000;

async function withDocument(options: Parameters<typeof newApi>[0] = {}) {
  const parts = await newApi(options);
  await parts.db.put({ _id: 'lists/a', title: 'Milk' });
  const path = (name: string) => `/documents/lists%2Fa/files/${encodeURIComponent(name)}`;
  const ask = (method: string, name: string, headers: Record<string, string> = {}, body?: BodyInit) =>
    fetch(`${parts.api.url}${path(name)}`, {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, ...headers },
      ...(body !== undefined && { body }),
    });
  const put = (name: string, body: BodyInit, type = 'text/plain') =>
    ask('PUT', name, { 'content-type': type }, body);
  return { ...parts, path, ask, put };
}

/** Bytes that differ from place to place. */
const bytesOf = (length: number) => Uint8Array.from({ length }, (_, at) => (at * 31 + (at >> 12)) % 251);

describe('files over HTTP', () => {
  test('attaches, reads, replaces and removes a file, and keeps the document', async () => {
    const { db, ask, put } = await withDocument();
    expect((await put('note.txt', 'Hello', 'text/plain')).status).toBe(200);
    expect((await put('a b/ü?.png', bytesOf(10), 'image/png')).status).toBe(200);
    const read = await ask('GET', 'note.txt');
    expect([read.status, await read.text()]).toEqual([200, 'Hello']);
    expect(Object.fromEntries(read.headers)).toMatchObject({
      ...{ 'content-type': 'text/plain', 'content-length': '5', 'accept-ranges': 'bytes' },
      ...{ 'content-disposition': 'attachment', 'x-content-type-options': 'nosniff' },
    });
    expect(read.headers.get('content-security-policy')).toContain('sandbox');
    const image = await ask('GET', 'a b/ü?.png');
    expect(image.headers.get('content-type')).toBe('image/png');
    expect(new Uint8Array(await image.arrayBuffer())).toEqual(bytesOf(10));
    await put('note.txt', 'Good bye');
    expect(await (await ask('GET', 'note.txt')).text()).toBe('Good bye');
    expect((await ask('DELETE', 'note.txt')).status).toBe(204);
    expect((await ask('DELETE', 'note.txt')).status).toBe(204);
    expect((await ask('GET', 'note.txt')).status).toBe(404);
    const doc = (await db.get('lists/a')) as { title: string; _files: object };
    expect([doc.title, Object.keys(doc._files)]).toEqual(['Milk', ['a b/ü?.png']]);
    await ask('DELETE', 'a b/ü?.png');
    expect(await db.get('lists/a')).toEqual({ _id: 'lists/a', title: 'Milk' });
  });

  test('returns a long file, and ranges of it across its parts', async () => {
    const { ask, put } = await withDocument();
    const content = bytesOf(LONG);
    await put('long', content, 'application/x-long');
    const whole = await ask('GET', 'long');
    expect(Buffer.from(await whole.arrayBuffer()).equals(content)).toBe(true);
    for (const [range, from, to] of [
      ['bytes=0-0', 0, 1],
      ['bytes=3999990-4000009', 3_999_990, 4_000_010],
      [`bytes=${LONG - 3}-`, LONG - 3, LONG],
      ['bytes=-5', LONG - 5, LONG],
      [`bytes=10-${LONG * 2}`, 10, LONG],
    ] as const) {
      const part = await ask('GET', 'long', { range });
      expect(part.status, range).toBe(206);
      expect(part.headers.get('content-range')).toBe(`bytes ${from}-${to - 1}/${LONG}`);
      expect(part.headers.get('content-length')).toBe(String(to - from));
      expect(Buffer.from(await part.arrayBuffer()).equals(content.subarray(from, to)), range).toBe(true);
    }
  });

  test('rejects ranges that the file does not have, and ignores others', async () => {
    const { ask, put } = await withDocument();
    await put('note', '0123456789');
    for (const range of ['bytes=10-', 'bytes=99-100', 'bytes=-0']) {
      const answer = await ask('GET', 'note', { range });
      expect([answer.status, answer.headers.get('content-range')], range).toEqual([416, 'bytes */10']);
    }
    for (const range of ['bytes=5-2', 'bytes=0-1,4-5', 'lines=1-2', 'bytes=-', 'bytes=a-b'])
      expect(await (await ask('GET', 'note', { range })).text(), range).toBe('0123456789');
    const etag = (await ask('GET', 'note')).headers.get('etag') ?? '';
    const same = await ask('GET', 'note', { range: 'bytes=0-1', 'if-range': etag });
    expect(await same.text()).toBe('01');
    const other = await ask('GET', 'note', { range: 'bytes=0-1', 'if-range': '"other"' });
    expect([other.status, await other.text()]).toEqual([200, '0123456789']);
  });

  test('answers 304 for a known tag, and HEAD without content', async () => {
    const { ask, put } = await withDocument();
    await put('note', 'Hello');
    const head = await ask('HEAD', 'note');
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '5', '']);
    const etag = head.headers.get('etag') ?? '';
    expect((await ask('GET', 'note', { 'if-none-match': etag })).status).toBe(304);
    await put('note', 'Other');
    expect((await ask('GET', 'note', { 'if-none-match': etag })).status).toBe(200);
  });

  test('returns an empty file, and one without a type', async () => {
    const { ask, put } = await withDocument();
    await put('empty', new Uint8Array(), '');
    const empty = await ask('GET', 'empty');
    expect([empty.status, await empty.text()]).toEqual([200, '']);
    expect(empty.headers.get('content-type')).toBe('application/octet-stream');
  });

  test('rejects files of missing documents, without a token, and writes to a read-only API', async () => {
    const { api, path, send } = await withDocument();
    for (const method of ['GET', 'PUT', 'DELETE'])
      expect((await send(method, '/documents/none/files/a', method === 'PUT' ? 'x' : undefined)).status).toBe(
        404,
      );
    expect((await fetch(`${api.url}${path('a')}`)).status).toBe(401);
    expect((await send('GET', '/documents/lists%2Fa/files/__proto__')).status).toBe(404);
    expect((await send('GET', '/documents/lists%2Fa/files/')).status).toBe(404);
    const fixed = await withDocument({ isReadOnly: true });
    await fixed.db.put({ _id: 'lists/a', _files: { a: new File(['x'], 'a') } });
    expect((await fixed.put('a', 'y')).status).toBe(403);
    expect((await fixed.ask('DELETE', 'a')).status).toBe(403);
    expect(await (await fixed.ask('GET', 'a')).text()).toBe('x');
  });

  test('rejects a file that is too long, and keeps the previous one', async () => {
    const { ask, put, reports } = await withDocument();
    await put('note', 'Hello');
    expect((await put('note', new Uint8Array(64_000_001))).status).toBe(413);
    expect(await (await ask('GET', 'note')).text()).toBe('Hello');
    expect(reports).toEqual([]);
  });

  test('reports nothing when a client leaves while it receives a file', async () => {
    const { ask, put, reports, api } = await withDocument();
    await put('long', bytesOf(LONG));
    const answer = await ask('GET', 'long');
    const reader = answer.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect((await ask('HEAD', 'long')).status).toBe(200);
    await api.close();
    expect(reports).toEqual([]);
  });
});
