import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { FixpointError, LIMITS } from '@fixpoint/protocol';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { LOOSE_MS } from '../src/commit/collect-files.ts';
import { openDatabase } from '../src/database/open.ts';
import { fixpoint, type StoredFile } from '../src/node.ts';
import type { Attached } from '../src/sync/remote.ts';
import { memoryPlatform } from './memory-platform.fixture.ts';

type WithFiles = { _files: Record<string, StoredFile>; _publicFiles: Record<string, StoredFile> };

const base = mkdtempSync(join(tmpdir(), 'fixpoint-files-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const textIn = async (stored: StoredFile | undefined) => (await stored?.file())?.text();
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing was refused',
    (error: { code?: string }) => error.code,
  );
/** Content that says at each place where it is. */
const content = (bytes: number, seed = 0) =>
  Uint8Array.from({ length: bytes }, (_, at) => (at * 7 + (at >> 8) + seed) & 0xff);
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const PART = LIMITS.fileBlockBytesMax;

async function readAll(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

describe('attached files', () => {
  test('come back as they went in, also after the database was opened again', async () => {
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

  test('may be given as bytes, streams, or either with what is known of them', async () => {
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

  test('are refused by code when they are none, too many or too long', async () => {
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

  test('a changed document keeps its files: entries are passed back in, and their content is not stored again', async () => {
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
    // An editor of JSON, and a copy to another thread, leave less of an entry.
    const { _files } = JSON.parse(JSON.stringify(changed)) as WithFiles;
    await db.put({ _id: 'a', _files });
    expect(await textIn((await db.get<WithFiles>('a'))._files['one'])).toBe('one');
  });

  test('all ways of reading a document give its files', async () => {
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

  test('a long file goes in and out in parts, each no longer than the limit, and is checked as a whole', async () => {
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

  test('an entry that names parts of something else is refused at the end', async () => {
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

  test('what is damaged or missing is an error by code, never empty bytes', async () => {
    const { platform, values } = memoryPlatform();
    const db = openDatabase('db', platform);
    await db.put({ _id: 'a', _files: { f: new Blob(['some text']) } });
    const entry = (await db.get<WithFiles>('a'))._files['f'];
    const [key] = [...values.keys()].filter((one) => one.startsWith('file/'));
    const sealed = values.get(key ?? '') ?? new Uint8Array();
    await fc.assert(
      fc.asyncProperty(fc.nat(sealed.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const damaged = Uint8Array.from(sealed);
        damaged[at] = (damaged[at] ?? 0) ^ flip;
        values.set(key ?? '', damaged);
        expect(['CORRUPT', 'KEY_UNKNOWN']).toContain(await codeOf(entry?.file() ?? Promise.resolve()));
      }),
      { numRuns: 100 },
    );
    values.delete(key ?? '');
    expect(await codeOf(entry?.file() ?? Promise.resolve())).toBe('MISSING_CARS');
    expect(await codeOf(readAll(entry?.stream() ?? new ReadableStream()))).toBe('MISSING_CARS');
  });

  test('what is damaged or missing here is asked of the remote, stored, and then here', async () => {
    const { platform, values } = memoryPlatform();
    const db = openDatabase('db', platform);
    await db.put({ _id: 'a', _files: { f: new Blob(['text']) } });
    const entry = (await db.get<WithFiles>('a'))._files['f'];
    const [key = ''] = [...values.keys()].filter((one) => one.startsWith('file/'));
    let asked = 0;
    const attached = await db.attach({
      attach: async ({ files }) => {
        const car = [...files.list()][0];
        if (car === undefined) throw new Error('no file');
        const archive = { cid: car, bytes: await files.readHere(car) };
        const stop = files.onMissing(async () => {
          asked += 1;
          await files.fetched(archive, []);
        });
        return {
          status: () => ({ state: 'in-sync', toSend: 0, toFetch: 0 }),
          onStatus: () => () => undefined,
          synced: () => Promise.resolve(),
          kind: () => undefined,
          devices: {} as Attached['devices'],
          detach: async () => stop(),
        };
      },
    });
    for (const broken of [undefined, Uint8Array.of(1, 2, 3)]) {
      if (broken === undefined) values.delete(key);
      else values.set(key, broken);
      expect(await textIn(entry)).toBe('text');
      expect(await textIn(entry)).toBe('text');
    }
    expect(asked).toBe(2);
    await attached.detach();
    values.delete(key);
    expect(await codeOf(entry?.file() ?? Promise.resolve())).toBe('MISSING_CARS');
  });

  test('verify looks at files too: damage is found, and what is not on this device is counted', async () => {
    const { platform, values, keys } = memoryPlatform();
    const db = openDatabase('db', platform);
    await db.put({ _id: 'a', _files: { f: new Blob(['one']) } });
    await db.put({ _id: 'b', _files: { f: new Blob(['two']) } });
    await db.put({ _id: 'c', _files: { f: new Blob(['three']) } });
    const steps: string[] = [];
    const all = await db.verify({ onProgress: (done, of) => void steps.push(`${done}/${of}`) });
    expect(all).toMatchObject({ files: 3, filesAbsent: 0, damaged: [], missing: [], documents: 3 });
    expect(steps.at(-1)).toBe(`${steps.length}/${steps.length}`);
    const [one = '', two = ''] = [...values.keys()].filter((key) => key.startsWith('file/'));
    values.set(one, Uint8Array.of(1, 2, 3));
    values.delete(two);
    const again = openDatabase('db', memoryPlatform(values, keys).platform);
    const found = await again.verify();
    expect(found).toMatchObject({ files: 2, filesAbsent: 1, missing: [] });
    expect(found.damaged.map(({ cid }) => `file/${cid}`)).toEqual([one]);
  });

  test('writes of one document are kept in the order of their calls, though one waits for its file', async () => {
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

  test('[R1] a document never refers to a file that is not durable: power may be lost at any write', async () => {
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

describe('file entries from elsewhere', () => {
  const json = fc.jsonValue({ maxDepth: 3 });
  const cid = fc.constantFrom(
    'bafkreihyacol2zoa7hew63oztyij7mnblh7gucwhx67ustqf2ce5hszvzy',
    'baembeibro3irzz6oikoallmrmpbepm4x3iuhh57drxs42sc7fkk7ifu3dy',
    'bafk',
  );
  const entry = fc.record(
    {
      cid: fc.oneof(cid, json),
      car: fc.oneof(fc.array(fc.oneof(cid, json)), cid),
      size: json,
      type: json,
      file: json,
    },
    { requiredKeys: [] },
  );

  test('[R20] whatever stands in a file map is refused by code, or kept; a document that has it is read, put back, and its files fail by code', async () => {
    const db = openDatabase('db', memoryPlatform().platform);
    const name = fc.constantFrom('f', '__proto__', 'constructor', '');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, fc.oneof(entry, json)), { maxLength: 3 }), async (pairs) => {
        const put = (value: unknown) =>
          db.put({ _id: 'a', _files: value }).then(
            () => undefined,
            (error: { code?: string }) => error.code,
          );
        const code = await put(Object.fromEntries(pairs));
        if (code !== undefined) {
          expect(['FILE_INVALID', 'DOC_INVALID']).toContain(code);
          return;
        }
        const doc = await db.get<WithFiles>('a');
        expect(await put(doc._files)).toBe(undefined);
        for (const stored of Object.values(doc._files))
          if (typeof stored?.file === 'function')
            expect(['MISSING_CARS', 'CORRUPT']).toContain(await codeOf(stored.file()));
      }),
      { numRuns: 300 },
    );
  });

  test('a file map that is none is a field like others', async () => {
    const db = openDatabase('db', memoryPlatform().platform);
    for (const value of ['text', 5, null, [1, 2]]) {
      await db.put({ _id: 'a', _files: value });
      expect(await db.get('a')).toEqual({ _id: 'a', _files: value });
    }
  });
});

describe('files that no document refers to', () => {
  const filesIn = (values: ReadonlyMap<string, Uint8Array>) =>
    [...values.keys()].filter((key) => key.startsWith('file/')).length;

  test('are removed by a compaction once a while has passed', async () => {
    const { platform, values, time } = memoryPlatform();
    const db = openDatabase('db', platform);
    await db.put({ _id: 'kept', _files: { f: new Blob(['kept']) } });
    await db.put({ _id: 'deleted', _files: { f: content(PART + 1) } });
    await db.put({ _id: 'replaced', _files: { f: new Blob(['before']) } });
    await db.put({ _id: 'replaced', _files: { f: new Blob(['after']) } });
    await db.del('deleted');
    expect(filesIn(values)).toBe(5);
    await db.compact();
    await time.pass(LOOSE_MS - 1);
    await db.compact();
    expect(filesIn(values)).toBe(5);
    await time.pass(1);
    await db.compact();
    expect(filesIn(values)).toBe(2);
    expect([...values.keys()].filter((key) => key.startsWith('loose/'))).toEqual([]);
    expect(await textIn((await db.get<WithFiles>('kept'))._files['f'])).toBe('kept');
    expect(await textIn((await db.get<WithFiles>('replaced'))._files['f'])).toBe('after');
  });

  test('stay when a document refers to them again meanwhile', async () => {
    const { platform, values, time } = memoryPlatform();
    const db = openDatabase('db', platform);
    await db.put({ _id: 'a', _files: { f: new Blob(['text']) } });
    const doc = await db.get<WithFiles>('a');
    await db.del('a');
    await db.compact();
    await time.pass(LOOSE_MS);
    await db.put({ ...doc, _id: 'b' });
    await db.compact();
    expect(filesIn(values)).toBe(1);
    expect(await textIn((await db.get<WithFiles>('b'))._files['f'])).toBe('text');
    await db.del('b');
    await db.compact();
    expect(filesIn(values)).toBe(1);
  });

  test('[R3] a full store refuses the write; what was stored ahead of it is found later, and the next write is done', async () => {
    const { platform, values, time } = memoryPlatform();
    const disk = { full: false };
    const db = openDatabase('db', {
      ...platform,
      openStore: async (...given) => {
        const store = await platform.openStore(...given);
        const write: typeof store.write = (changes, guard) =>
          disk.full &&
          changes.some(({ key, bytes }) => key.startsWith('file/') && (bytes?.length ?? 0) < PART)
            ? Promise.reject(new FixpointError('STORE_FULL'))
            : store.write(changes, guard);
        return { ...store, write };
      },
    });
    await db.put({ _id: 'x' });
    disk.full = true;
    expect(await codeOf(db.put({ _id: 'a', _files: { f: content(PART + 5) } }))).toBe('STORE_FULL');
    expect(await codeOf(db.put({ _id: 'a', _files: { f: new Blob(['short']) } }))).toBe('STORE_FULL');
    disk.full = false;
    expect([filesIn(values), (await db.allDocs()).rows.map(({ key }) => key)]).toEqual([1, ['x']]);
    await db.put({ _id: 'a', _files: { f: new Blob(['short']) } });
    await time.pass(LOOSE_MS);
    await db.compact();
    expect(filesIn(values)).toBe(1);
    expect(await textIn((await db.get<WithFiles>('a'))._files['f'])).toBe('short');
  });

  test('of a write that failed are found too', async () => {
    const { platform, values, time } = memoryPlatform();
    const db = openDatabase('db', platform);
    await db.put({ _id: 'x' });
    async function* breaking() {
      yield content(PART + 1);
      throw new Error('gone');
    }
    expect(await codeOf(db.put({ _id: 'a', _files: { f: breaking() } }))).toBe('FILE_INVALID');
    expect(filesIn(values)).toBe(1);
    await time.pass(LOOSE_MS);
    await db.compact();
    expect(filesIn(values)).toBe(0);
  });
});
