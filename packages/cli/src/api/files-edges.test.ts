import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newApi, TOKEN } from './api.fixture.ts';

const CONTENT = '0123456789';

/** An API with one document that has the file `a`. */
async function withFile(options: Parameters<typeof newApi>[0] = {}) {
  const parts = await newApi(options);
  await parts.db.put({
    _id: 'd',
    title: 'Milk',
    _files: { a: new File([CONTENT], 'a', { type: 'text/plain' }) },
  });
  const file = (method: string, name: string, headers: Record<string, string> = {}, body?: string) =>
    fetch(`${parts.api.url}/documents/d/files/${name}`, {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, ...headers },
      ...(body !== undefined && { body }),
    });
  const stored = () => parts.json<{ _files: { a: object }; title: string }>('GET', '/documents/d');
  /** Changes the entry of the file, as an editor of the document may. */
  const edit = async (change: object) => {
    const doc = await stored();
    const edited = { ...doc, _files: { a: { ...doc._files.a, ...change } } };
    expect((await parts.send('PUT', '/documents/d', edited)).status).toBe(200);
  };
  return { ...parts, file, stored, edit };
}

describe('ranges of a file', () => {
  test('returns the bytes of any range', async () => {
    const { file } = await withFile();
    const bound = fc.option(fc.nat(14), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(bound, bound, async (first, last) => {
        const answer = await file('GET', 'a', { range: `bytes=${first ?? ''}-${last ?? ''}` });
        const text = await answer.text();
        const isIgnored =
          (first === undefined && last === undefined) ||
          (first !== undefined && last !== undefined && last < first);
        if (isIgnored) return void expect([answer.status, text]).toEqual([200, CONTENT]);
        const wanted =
          first === undefined
            ? last === 0
              ? ''
              : CONTENT.slice(-(last ?? 0))
            : CONTENT.slice(first, last === undefined ? undefined : last + 1);
        if (wanted === '') return void expect(answer.status).toBe(416);
        expect([answer.status, text]).toEqual([206, wanted]);
        const from = CONTENT.indexOf(wanted);
        expect(answer.headers.get('content-range')).toBe(`bytes ${from}-${from + wanted.length - 1}/10`);
      }),
      { numRuns: 60 },
    );
  });

  test.each([
    [`bytes=${'9'.repeat(400)}-`, 416, undefined],
    [`bytes=5-${'9'.repeat(400)}`, 206, '56789'],
    [`bytes=-${'9'.repeat(400)}`, 206, CONTENT],
    ['BYTES=0-1', 200, CONTENT],
    ['bytes = 0-1', 200, CONTENT],
    ['bytes=+1-2', 200, CONTENT],
    ['bytes=1.5-2', 200, CONTENT],
    ['', 200, CONTENT],
  ])('reads the header strictly: %s', async (range, status, text) => {
    const { file } = await withFile();
    const answer = await file('GET', 'a', { range });
    expect(answer.status).toBe(status);
    if (text !== undefined) expect(await answer.text()).toBe(text);
  });

  test('rejects any range of an empty file', async () => {
    const { file } = await withFile();
    await file('PUT', 'empty', {}, '');
    for (const range of ['bytes=0-', 'bytes=-1', 'bytes=0-0']) {
      const answer = await file('GET', 'empty', { range });
      expect([answer.status, answer.headers.get('content-range')]).toEqual([416, 'bytes */0']);
    }
  });
});

describe('names of files', () => {
  test.each([
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '%2F',
    '..%2F..%2Fetc',
    '%00',
    '%F0%9F%98%80',
  ])('finds only what was attached under the name %s', async (name) => {
    const { file, stored, db } = await withFile();
    expect((await file('GET', name)).status).toBe(404);
    expect((await file('DELETE', name)).status).toBe(204);
    expect((await file('PUT', name, { 'content-type': 'text/plain' }, 'mine')).status).toBe(200);
    expect(await (await file('GET', name)).text()).toBe('mine');
    expect(Object.getPrototypeOf((await stored())._files)).toBe(Object.prototype);
    expect((await file('DELETE', name)).status).toBe(204);
    expect((await file('GET', name)).status).toBe(404);
    expect(Object.keys(((await db.get('d')) as { _files: object })._files)).toEqual(['a']);
  });

  test('rejects paths that are not encoded correctly or have other parts', async () => {
    const { file, send } = await withFile();
    for (const name of ['%zz', '%', '%C3']) expect((await file('GET', name)).status).toBe(400);
    expect((await send('GET', '/documents/%zz/files/a')).status).toBe(400);
    for (const path of ['/documents/d/files/a/b', '/documents//files/a', '/documents/d/files'])
      expect((await send('GET', path)).status, path).toBe(404);
    expect((await send('POST', '/documents/d/files/a', {})).status).toBe(405);
  });

  test('rejects parameters that would be ignored', async () => {
    const { file } = await withFile();
    expect((await file('GET', 'a?download=1')).status).toBe(400);
    expect((await file('PUT', 'a?wait=cloud', {}, 'x')).status).toBe(400);
    expect((await file('DELETE', 'a?wait=cloud')).status).toBe(400);
    expect(await (await file('GET', 'a')).text()).toBe(CONTENT);
  });
});

describe('files that an editor of the document described wrongly', () => {
  test.each([['two\r\nlines: 1'], ['ünï/code'], ['']])(
    'sends no type %j, because no header may contain it',
    async (type) => {
      const { file, edit, reports } = await withFile();
      await edit({ type });
      const answer = await file('GET', 'a');
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/octet-stream']);
      expect(answer.headers.get('lines')).toBeNull();
      expect(await answer.text()).toBe(CONTENT);
      expect(reports).toEqual([]);
    },
  );

  test('sends no date that nobody can write', async () => {
    const { file, edit } = await withFile();
    await edit({ lastModified: 1e300 });
    const answer = await file('GET', 'a');
    expect([answer.status, answer.headers.get('last-modified')]).toEqual([200, null]);
    await edit({ lastModified: 0 });
    expect((await file('HEAD', 'a')).headers.get('last-modified')).toBe('Thu, 01 Jan 1970 00:00:00 GMT');
  });

  test.each([
    ...[-1, 1.5, 2 ** 60].map((size) => ({ size })),
    ...['bafyNothing', null, 7, { '/': 'x' }, { '/': { bytes: 'AAAA' } }].map((cid) => ({ cid })),
    ...[[], null, 'x', [null], [{ '/': 7 }]].map((car) => ({ car })),
  ])('finds no file in an entry with %j, and says so', async (change) => {
    const { file, edit, reports } = await withFile();
    await edit(change);
    for (const method of ['GET', 'HEAD']) {
      const answer = await file(method, 'a', { range: 'bytes=0-1' });
      expect(answer.status).toBe(404);
      if (method === 'GET')
        expect(await answer.json()).toMatchObject({
          error: { code: 'NOT_FOUND', message: expect.stringContaining("doesn't describe a file") },
        });
    }
    expect(reports).toEqual([]);
    // The entry can be replaced.
    expect((await file('PUT', 'a', {}, 'new')).status).toBe(200);
    expect(await (await file('GET', 'a')).text()).toBe('new');
  });

  // The engine keeps entries of other clients that have a `cid`.
  test.each([
    [{ cid: null }],
    [{ cid: 'x', type: 'text/plain' }],
    [{ cid: { '/': {} }, size: 1, car: [] }],
    [{ cid: 'x', size: '1', stream: 'x', file: 7 }],
  ])('finds no file in the entry %j of another client, and can remove it', async (entry) => {
    const { file, send, reports } = await withFile();
    const doc = { title: 'Milk', _files: { a: entry, other: entry } };
    expect((await send('PUT', '/documents/d', doc)).status).toBe(200);
    const answer = await file('GET', 'a');
    expect([answer.status, await answer.json()]).toMatchObject([404, { error: { code: 'NOT_FOUND' } }]);
    expect((await file('DELETE', 'a')).status).toBe(204);
    expect((await (await send('GET', '/documents/d')).json())._files).not.toHaveProperty('a');
    expect(reports).toEqual([]);
  });

  test.each([
    [{ type: null }, 'application/octet-stream'],
    [{ type: 7 }, 'application/octet-stream'],
    [{ type: ['text/html'] }, 'application/octet-stream'],
    [{ lastModified: null }, 'text/plain'],
    [{ lastModified: '2026' }, 'text/plain'],
    [{ lastModified: { a: 1 } }, 'text/plain'],
    [{ lastModified: 2 ** 60 }, 'text/plain'],
  ])('sends the content of an entry with %j', async (change, type) => {
    const { file, edit, reports } = await withFile();
    await edit(change);
    const answer = await file('GET', 'a');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
    expect(await answer.text()).toBe(CONTENT);
    expect(reports).toEqual([]);
  });

  test('gives each content its own strong tag, in whatever form the entry links to it', async () => {
    const { file, edit, stored } = await withFile();
    const tagOf = async () => (await file('HEAD', 'a')).headers.get('etag') ?? '';
    const tag = await tagOf();
    expect(tag).toMatch(/^"bafk[a-z2-7]+"$/);
    const { cid } = (await stored())._files.a as { cid: { '/': string } };
    for (const form of [cid, cid['/'], { '/': cid['/'] }]) {
      await edit({ cid: form });
      expect(await tagOf()).toBe(tag);
      expect((await file('GET', 'a', { 'if-none-match': tag })).status).toBe(304);
      const part = await file('GET', 'a', { range: 'bytes=0-1', 'if-range': tag });
      expect([part.status, await part.text()]).toEqual([206, '01']);
    }
    await file('PUT', 'a', {}, 'other');
    const other = (await stored())._files.a as { cid: { '/': string } };
    await edit({ cid: { '/': other.cid['/'] } });
    expect(await tagOf()).not.toBe(tag);
    expect((await file('GET', 'a', { 'if-none-match': tag })).status).toBe(200);
  });

  test.each([3, 12])(
    'ends the answer early if the entry says %s bytes, so that nobody takes it for complete',
    async (size) => {
      const { file, edit, reports } = await withFile();
      await edit({ size });
      await expect(file('GET', 'a').then((answer) => answer.text())).rejects.toThrow();
      expect(reports).toMatchObject([{ code: 'CORRUPT' }]);
    },
  );

  test.each([[7], ['text'], [[]], [['a']], [null], [true]])(
    'finds no files in %j, and attaches new ones',
    async (_files) => {
      const { file, send, db, reports } = await withFile();
      expect((await send('PUT', '/documents/d', { title: 'Milk', _files })).status).toBe(200);
      for (const name of ['length', '0', 'a']) {
        expect((await file('GET', name)).status).toBe(404);
        expect((await file('DELETE', name)).status).toBe(204);
      }
      expect((await file('PUT', 'b', {}, 'new')).status).toBe(200);
      expect(await (await file('GET', 'b')).text()).toBe('new');
      expect(await db.get('d')).toMatchObject({ title: 'Milk', _files: { b: { size: 3 } } });
      expect(reports).toEqual([]);
    },
  );
});

describe('writers of files at the same time', () => {
  test('keeps the files of all of them, and the fields of the document', async () => {
    const { file, db, send } = await withFile();
    const names = Array.from({ length: 8 }, (_, n) => `f${n}`);
    const wrote = await Promise.all([
      ...names.map((name) => file('PUT', name, {}, name)),
      send('PUT', '/documents/other', { title: 'other' }),
      file('DELETE', 'a'),
    ]);
    expect(wrote.map(({ status }) => status)).toEqual([...names.map(() => 200), 200, 204]);
    const doc = (await db.get('d')) as { title: string; _files: object };
    expect([doc.title, Object.keys(doc._files).toSorted()]).toEqual(['Milk', names]);
    for (const name of names) expect(await (await file('GET', name)).text()).toBe(name);
  });

  test('leaves the version that a reader began to read', async () => {
    const { file } = await withFile();
    const long = 'x'.repeat(3_000_000);
    await file('PUT', 'long', {}, long);
    const reading = await file('GET', 'long');
    await file('PUT', 'long', {}, 'short');
    expect((await reading.text()).length).toBe(long.length);
    expect(await (await file('GET', 'long')).text()).toBe('short');
  });
});
