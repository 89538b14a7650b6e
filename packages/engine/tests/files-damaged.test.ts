import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openDatabase } from '../src/database/open.ts';
import type { Attached } from '../src/sync/remote.ts';
import { codeOf, readAll, textIn, type WithFiles } from './files.fixture.ts';
import { memoryPlatform } from './memory-platform.fixture.ts';

describe('attached files', () => {
  test('reports a damaged or missing file with a code, and never returns empty bytes', async () => {
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

  test('fetches a damaged or missing file from the remote once, and stores it', async () => {
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
          held: () => Promise.reject(new Error('nobody asks')),
          withheld: () => Promise.resolve([]),
          removeEntries: () => Promise.resolve(),
          kind: () => undefined,
          devices: {} as Attached['devices'],
          presence: {} as Attached['presence'],
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

  test('finds damaged files in verify, and counts files that are not on this device', async () => {
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
});

describe('file entries that other clients wrote', () => {
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

  test('[R20] rejects an invalid file map with a code, or stores it and rejects reads of its files with a code', async () => {
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

  test('treats a field `_files` that is not a map as an ordinary field', async () => {
    const db = openDatabase('db', memoryPlatform().platform);
    for (const value of ['text', 5, null, [1, 2]]) {
      await db.put({ _id: 'a', _files: value });
      expect(await db.get('a')).toEqual({ _id: 'a', _files: value });
    }
  });
});
