import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { LOOSE_MS } from '../src/commit/compaction/collect-files.ts';
import { openDatabase } from '../src/database/open.ts';
import { codeOf, content, PART, textIn, type WithFiles } from './files.fixture.ts';
import { memoryPlatform } from './memory-platform.fixture.ts';

describe('a file that no document refers to', () => {
  const filesIn = (values: ReadonlyMap<string, Uint8Array>) =>
    [...values.keys()].filter((key) => key.startsWith('file/')).length;

  test('is removed by a compaction an hour later', async () => {
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

  test('is kept if a document refers to it again before that compaction', async () => {
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

  test('[R3] is removed by a later compaction if the store became full during its write, and the next write succeeds', async () => {
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

  test('is removed by a compaction an hour after its write failed', async () => {
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
