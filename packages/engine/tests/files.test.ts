import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { LIMITS } from '@fixpoint/protocol';
import { afterAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../src/database/open.ts';
import { fixpoint } from '../src/entries/node.ts';
import { codeOf, content, PART, readAll, textIn, type WithFiles } from './files.fixture.ts';
import { memoryPlatform } from './memory-platform.fixture.ts';

const base = mkdtempSync(join(tmpdir(), 'fixpoint-files-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('attached files', () => {
  test('returns files as they were put, also after reopening', async () => {
    const directory = mkdtempSync(join(base, 'db-'));
    const db = fixpoint('files', { directory });
    const file = new File(['hello'], 'own-name.txt', { type: 'text/plain', lastModified: 1234 });
    await db.put({
      _id: 'a',
      title: 'kept',
      _files: { 'hello.txt': file },
      _publicFiles: { logo: new Blob(['<svg/>'], { type: 'image/svg+xml' }) },
    });
    await db.close();
    const again = fixpoint('files', { directory });
    const doc = await again.get<WithFiles>('a');
    expect(Object.keys(doc._files['hello.txt'] ?? {}).sort()).toEqual([
      'car',
      'cid',
      'lastModified',
      'size',
      'type',
    ]);
    const read = await doc._files['hello.txt']?.file();
    expect([read?.name, read?.type, read?.lastModified, read?.size]).toEqual([
      'hello.txt',
      'text/plain',
      1234,
      5,
    ]);
    expect(await read?.text()).toBe('hello');
    expect(await textIn(doc._publicFiles['logo'])).toBe('<svg/>');
    await again.close();
  });

  test('accepts bytes and streams, with or without their type and time', async () => {
    const { platform, time } = memoryPlatform();
    const db = openDatabase('db', platform);
    const bytes = Buffer.from('bytes');
    const putting = db.put({
      _id: 'a',
      _files: {
        buffer: bytes,
        known: { bytes: Uint8Array.of(104, 105), type: 'text/plain', lastModified: 5 },
        web: new Blob(['web']).stream(),
        node: Readable.from([Buffer.from('no'), Buffer.from('de')]),
        typed: { stream: Readable.from([Buffer.from('typed')]), type: 'text/html' },
        empty: new Uint8Array(),
      },
    });
    bytes.fill(0);
    await putting;
    const { _files } = await db.get<WithFiles>('a');
    const texts = await Promise.all(
      Object.entries(_files).map(async ([name, file]) => [name, await textIn(file)]),
    );
    expect(Object.fromEntries(texts)).toEqual({
      buffer: 'bytes',
      known: 'hi',
      web: 'web',
      node: 'node',
      typed: 'typed',
      empty: '',
    });
    expect(_files['known']).toMatchObject({ type: 'text/plain', lastModified: 5, size: 2 });
    expect(_files['typed']).toMatchObject({ type: 'text/html', lastModified: time.now(), size: 5 });
  });

  test('rejects values that are not files, and too many files', async () => {
    const db = openDatabase('db', memoryPlatform().platform);
    expect(await codeOf(db.put({ _files: { a: 'text' } }))).toBe('FILE_INVALID');
    expect(await codeOf(db.put({ _files: { a: null } }))).toBe('FILE_INVALID');
    expect(await codeOf(db.put({ _files: { a: Readable.from([1, 2]) } }))).toBe('FILE_INVALID');
    const failing = new ReadableStream({ pull: () => Promise.reject(new Error('camera gone')) });
    await expect(db.put({ _files: { a: failing } })).rejects.toMatchObject({
      code: 'FILE_INVALID',
      cause: { message: 'camera gone' },
    });
    const many = Object.fromEntries(
      Array.from({ length: LIMITS.filesPerDocumentMax + 1 }, (_, n) => [`f${n}`, new Uint8Array()]),
    );
    expect(await codeOf(db.put({ _files: many }))).toBe('LIMIT_REACHED');
    expect((await db.allDocs()).rows).toEqual([]);
  });

  test('keeps files whose entries are in the changed document, and does not store their content again', async () => {
    const { platform, values } = memoryPlatform();
    const db = openDatabase('db', platform);
    await db.put({ _id: 'a', n: 1, _files: { one: new Blob(['one']), two: new Blob(['two']) } });
    const archives = () => [...values.keys()].filter((key) => key.startsWith('file/')).length;
    expect(archives()).toBe(1);
    const doc = await db.get<WithFiles>('a');
    await db.put({ ...doc, n: 2, _files: { ...doc._files, three: new Blob(['three']) } });
    expect(archives()).toBe(2);
    const changed = await db.get<WithFiles & { n: number }>('a');
    const texts = await Promise.all(Object.values(changed._files).map(textIn));
    expect([changed.n, texts.sort()]).toEqual([2, ['one', 'three', 'two']]);
    // A JSON editor, or a copy to another thread, keeps only some properties of an entry.
    const { _files } = JSON.parse(JSON.stringify(changed)) as WithFiles;
    await db.put({ _id: 'a', _files });
    expect(await textIn((await db.get<WithFiles>('a'))._files['one'])).toBe('one');
  });

  test('returns files from every call that reads a document', async () => {
    const db = openDatabase('db', memoryPlatform().platform);
    const heard: unknown[] = [];
    db.subscribe((docs) => heard.push(...docs), true);
    await db.put({ _id: 'a', n: 1, _files: { f: new Blob(['x']) } });
    const docs = [
      ...(await db.allDocs<WithFiles>()).rows.map(({ value }) => value),
      ...((await db.query<WithFiles>('n')).docs ?? []),
      ...(await db.changes<WithFiles>()).rows.map(({ value }) => value),
    ];
    await expect.poll(() => heard.length).toBe(1);
    for (const doc of [...docs, ...(heard as WithFiles[])]) expect(await textIn(doc._files['f'])).toBe('x');
    expect(docs).toHaveLength(3);
  });

  test('stores and reads a long file in parts of limited size, and reports a wrong part as CORRUPT', async () => {
    const { platform, values } = memoryPlatform();
    const db = openDatabase('db', platform);
    const whole = content(2 * PART + 5);
    const pieces = [whole.subarray(0, 10), whole.subarray(10, PART + 1), whole.subarray(PART + 1)];
    await db.put({ _id: 'a', _files: { long: Readable.from(pieces), exact: content(PART, 1) } });
    const { _files } = await db.get<WithFiles>('a');
    expect([_files['long']?.car.length, _files['exact']?.car.length]).toEqual([3, 1]);
    expect(`${_files['long']?.cid}`.slice(0, 7)).toBe('bafkrei');
    const stored = [...values].filter(([key]) => key.startsWith('file/')).map(([, bytes]) => bytes.length);
    expect(Math.max(...stored)).toBeLessThan(PART + 500);
    expect([...values.keys()].filter((key) => key.startsWith('loose/'))).toEqual([]);
    const read = await readAll(_files['long']?.stream() ?? new ReadableStream());
    expect(hashOf(read)).toBe(hashOf(whole));
    const parts = (_files['long']?.car ?? []) as { toString(): string }[];
    const [first, second] = parts.map((part) => `file/${part}`);
    const swapped = values.get(second ?? '');
    values.set(first ?? '', swapped ?? new Uint8Array());
    expect(await codeOf(_files['long']?.file() ?? Promise.resolve())).toBe('CORRUPT');
  });

  test('reports a file as CORRUPT if its entry refers to parts of another file', async () => {
    const db = openDatabase('db', memoryPlatform().platform);
    await db.put({ _id: 'a', _files: { x: content(PART + 1), y: content(PART + 1, 3) } });
    const { _files } = await db.get<WithFiles>('a');
    const [x, y] = [_files['x'], _files['y']];
    await db.put({
      _id: 'b',
      _files: { mixed: { ...x, car: [x?.car[0], y?.car[1]] }, single: { ...x, car: [y?.car[0]] } },
    });
    const mixed = (await db.get<WithFiles>('b'))._files;
    expect(await codeOf(mixed['mixed']?.file() ?? Promise.resolve())).toBe('CORRUPT');
    expect(await codeOf(mixed['single']?.file() ?? Promise.resolve())).toBe('CORRUPT');
  });

  test('keeps writes of one document in the order of the calls, even when a write waits for its file', async () => {
    const db = openDatabase('db', memoryPlatform().platform);
    let release: (() => void) | undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    async function* slow() {
      await gate;
      yield Uint8Array.of(65);
    }
    const first = db.put({ _id: 'a', n: 1, _files: { f: slow() } });
    const second = db.put({ _id: 'a', n: 2 });
    await db.put({ _id: 'other' });
    expect((await db.allDocs()).rows.map(({ key }) => key)).toEqual(['other']);
    release?.();
    await Promise.all([first, second]);
    expect(await db.get('a')).toEqual({ _id: 'a', n: 2 });
    const failed = db.put({ _id: 'a', n: 3, _files: { f: Readable.from([5]) } });
    const after = db.del('a');
    expect(await codeOf(failed)).toBe('FILE_INVALID');
    await after;
    expect(await codeOf(db.get('a'))).toBe('NOT_FOUND');
  });

  test('[R1] never stores a document before its files, even if power is lost at any write', async () => {
    for (let call = 1; call < 8; call++) {
      const { platform, values, keys } = memoryPlatform();
      const disk = { left: call };
      const mortal = {
        ...platform,
        openStore: async (name: string, durability: 'strict' | 'relaxed') => {
          const store = await platform.openStore(name, durability);
          const write: typeof store.write = (changes, guard) => {
            disk.left -= 1;
            return disk.left < 0 ? Promise.reject(new Error('power lost')) : store.write(changes, guard);
          };
          return { ...store, write };
        },
      };
      const db = openDatabase('db', mortal);
      await db.put({ _id: 'small', _files: { f: new Blob(['small']) } }).catch(() => undefined);
      await db.put({ _id: 'long', _files: { f: content(PART * 2) } }).catch(() => undefined);
      const again = openDatabase('db', memoryPlatform(values, keys).platform);
      for (const { value } of (await again.allDocs<WithFiles>()).rows)
        expect((await value._files['f']?.file())?.size).toBe(value._files['f']?.size);
    }
  });
});
