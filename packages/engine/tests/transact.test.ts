/**
 * `update` and `transact`: writes that depend on what they read, in one or several tabs, and in the
 * pages of engines in workers.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Database } from '../src/database/database.ts';
import { openDatabase } from '../src/database/open.ts';
import { memoryStore } from '../src/platform/memory-store.ts';
import type { ByteStore } from '../src/ports/byte-store.ts';
import { seededRandom } from '../src/testing/seeded-random.ts';
import { inPage } from './in-page.fixture.ts';
import { memoryPlatform } from './memory-platform.fixture.ts';

interface Counter {
  readonly n: number;
}
const up = (doc: Counter | undefined) => ({ n: (doc?.n ?? 0) + 1 });

type Use = (database: Database) => Database;

/** Opens tabs over one store. */
function tabsFor(use: Use) {
  return (count: number): readonly Database[] => {
    const { platform, values, keys } = memoryPlatform();
    return Array.from({ length: count }, () =>
      use(openDatabase('db', { ...memoryPlatform(values, keys).platform, random: platform.random })),
    );
  };
}
const code = (name: string) => expect.objectContaining({ code: name });

const PLACES: readonly (readonly [string, Use])[] = [
  ['a database', (database) => database],
  ['the page of an engine in a worker', inPage],
];

describe.each(PLACES)('update of %s', (_place, use) => {
  const tabs = tabsFor(use);
  const one = () => tabs(1)[0] as Database;

  test.each([1, 2, 3])('[R9] loses no change when %i tabs call it at the same time', async (count) => {
    const all = tabs(count);
    await all[0]?.put({ _id: 'a', n: 0 });
    const calls = all.flatMap((db) => Array.from({ length: 20 }, () => db.update<Counter>('a', up)));
    expect(await Promise.all(calls)).toEqual(calls.map(() => ({ id: 'a' })));
    for (const db of all) {
      // Reads the head of the other tabs, which a hint usually causes.
      await db.transact(() => undefined);
      expect((await db.get<Counter>('a')).n).toBe(20 * count);
    }
  });

  test('[R9] reads what another tab wrote, even before its hint arrives', async () => {
    const [a, b] = tabs(2);
    await b?.ready();
    await a?.put({ _id: 'a', n: 1 });
    const seen: unknown[] = [];
    const look = () => b?.update('a', (before) => void seen.push(before));
    await look();
    await a?.put({ _id: 'a', n: 2 });
    await a?.head();
    await look();
    expect(seen).toEqual([
      { _id: 'a', n: 1 },
      { _id: 'a', n: 2 },
    ]);
  });

  test('follows earlier writes that were not awaited', async () => {
    const db = one();
    await db.transact(() => undefined);
    const put = db.put({ _id: 'a', n: 5 });
    await db.update<Counter>('a', up);
    await put;
    expect((await db.get<Counter>('a')).n).toBe(6);
  });

  test('creates and deletes documents, and keeps the id', async () => {
    const db = one();
    const seen: unknown[] = [];
    const write = (after: object | undefined) =>
      db.update('a', (before) => {
        seen.push(before);
        return after;
      });
    await write({ _id: 'other', n: 1 });
    await write({ _deleted: true });
    await write({ n: 2 });
    expect(seen).toEqual([undefined, { _id: 'a', n: 1 }, undefined]);
    expect((await db.allDocs()).rows.map(({ value }) => value)).toEqual([{ _id: 'a', n: 2 }]);
  });

  test('writes nothing if the function returns undefined or throws, and runs later calls', async () => {
    const db = one();
    await db.put({ _id: 'a', n: 1 });
    const head = await db.head();
    const failing = db.update('a', () => {
      throw new TypeError('mine');
    });
    const calls = [db.update('a', () => undefined), failing, db.update<Counter>('b', up)];
    await expect(failing).rejects.toThrow(new TypeError('mine'));
    await Promise.allSettled(calls);
    expect((await db.changes(head)).rows.map(({ key }) => key)).toEqual(['b']);
  });

  test('rejects functions that return no document, and invalid parameters', async () => {
    const db = one();
    for (const after of [5, 'text', null, [], new Map(), Promise.resolve({ n: 1 })])
      await expect(db.update('a', () => after as object)).rejects.toEqual(code('DOC_INVALID'));
    await expect(db.update('', up)).rejects.toEqual(code('DOC_ID_REQUIRED'));
    await expect(db.update('a', {} as () => object)).rejects.toEqual(code('DOC_INVALID'));
    await expect(db.transact({} as () => object)).rejects.toEqual(code('DOC_INVALID'));
    await expect(db.get('a')).rejects.toEqual(code('NOT_FOUND'));
  });

  test('writes new files, and keeps those that it does not change', async () => {
    const db = one();
    const file = (text: string) => new File([text], text);
    await db.update('a', () => ({ _files: { one: file('1') } }));
    await db.update<{ _files: object }>('a', (doc) => ({
      ...doc,
      _files: { ...doc?._files, two: file('22') },
    }));
    const { _files } = await db.get<{ _files: Record<string, { file(): Promise<File> }> }>('a');
    const read = async (name: string) => (await _files[name]?.file())?.text();
    expect([await read('one'), await read('two')]).toEqual(['1', '22']);
  });
});

/** Returns a file whose content arrives only after the given work. */
const fileAfter = (work: () => Promise<unknown>) =>
  Object.assign(new File([], 'slow'), {
    stream: () =>
      new ReadableStream<Uint8Array>({
        pull: async (controller) => {
          await work();
          controller.enqueue(Uint8Array.of(1));
          controller.close();
        },
      }),
  });

describe('update and transact with files', () => {
  const one = () => tabsFor((database) => database)(1)[0] as Database;

  test('[R11] lets other writes continue while an update reads its files', async () => {
    const db = one();
    const write = () => db.put({ _id: 'other' });
    await db.update('a', () => ({ n: 1, _files: { slow: fileAfter(write) } }));
    expect(await db.get('a')).toMatchObject({ n: 1 });
    expect(await db.get('other')).toBeDefined();
  });

  test('[R9] repeats an update whose document changed while its files were read', async () => {
    const db = one();
    await db.put({ _id: 'a', n: 1 });
    let calls = 0;
    await db.update<Counter>('a', (doc) => {
      calls += 1;
      const write = async () => calls === 1 && db.put({ _id: 'a', n: 5 });
      return { ...up(doc), _files: { slow: fileAfter(write) } };
    });
    expect([calls, (await db.get<Counter>('a')).n]).toEqual([2, 6]);
  });

  test('rejects an update whose document always changes while its files are read', async () => {
    const db = one();
    let n = 0;
    const write = () => db.put({ _id: 'a', n: n++ });
    const always = db.update('a', () => ({ _files: { slow: fileAfter(write) } }));
    await expect(always).rejects.toEqual(code('CONFLICT'));
  });

  test.each(['update', 'transact'] as const)(
    '[R9] runs %s after an earlier put that still reads its files',
    async (how) => {
      const db = one();
      await db.transact(() => undefined);
      const slow = fileAfter(() => new Promise((resolve) => setTimeout(resolve, 20)));
      const put = db.put({ _id: 'a', n: 5, _files: { slow } });
      if (how === 'update') await db.update<Counter>('a', up);
      else await db.transact(async (t) => t.put({ _id: 'a', ...up(await t.get<Counter>('a')) }));
      await put;
      expect((await db.get<Counter>('a')).n).toBe(6);
    },
  );
});

describe.each(PLACES)('transact of %s', (_place, use) => {
  const tabs = tabsFor(use);
  const one = () => tabs(1)[0] as Database;

  test('writes everything in one event, and returns the result of the function', async () => {
    const db = one();
    await db.put({ _id: 'gone' });
    const result = await db.transact(async (tx) => {
      tx.del('gone');
      const { id } = tx.put({ n: 1 });
      tx.put({ _id: 'a', n: 1 });
      tx.put({ _id: 'a', n: 2 });
      return id;
    });
    const [event] = await db.events();
    expect(event).toMatchObject({ documents: 3, deletions: 1, ids: ['gone', result, 'a'] });
    expect(await db.get('a')).toEqual({ _id: 'a', n: 2 });
  });

  test('reads its own writes, and everything else as of its start', async () => {
    const db = one();
    await db.bulk([
      { _id: 'a', n: 1 },
      { _id: 'b', n: 1 },
    ]);
    const seen: unknown[] = [];
    let runs = 0;
    await db.transact(async (tx) => {
      runs += 1;
      seen.push((await tx.get<Counter>('a')).n);
      if (runs === 1) await db.bulk([{ _id: 'b', n: 2 }]);
      seen.push((await tx.get<Counter>('b')).n);
      tx.put({ _id: 'a', n: 7 });
      seen.push((await tx.get<Counter>('a')).n);
      tx.del('a');
      await expect(tx.get('a')).rejects.toEqual(code('NOT_FOUND'));
      await expect(tx.get('never')).rejects.toEqual(code('NOT_FOUND'));
    });
    // The first run read a document that changed, so it wrote nothing.
    expect(seen).toEqual([1, 1, 7, 1, 2, 7]);
    expect((await db.allDocs()).rows.map(({ key }) => key)).toEqual(['b']);
  });

  test('runs again if another write created a document that it had not found', async () => {
    const db = one();
    let runs = 0;
    await db.transact(async (tx) => {
      runs += 1;
      const isThere = await tx.get('a').then(
        () => true,
        () => false,
      );
      if (runs === 1) await db.put({ _id: 'a', by: 'other' });
      if (!isThere) tx.put({ _id: 'a', by: 'transaction' });
    });
    expect([runs, await db.get('a')]).toEqual([2, { _id: 'a', by: 'other' }]);
  });

  test('runs again if another tab dropped blocks that it still had to read', async () => {
    const { platform, values, keys } = memoryPlatform();
    // Each tab keeps few bytes in memory, as with a large database.
    const openStore = async (): Promise<ByteStore> => ({
      ...memoryStore(values),
      readPart: async (key, at, length) => values.get(key)?.slice(at, at + length),
    });
    const open = () =>
      use(
        openDatabase('db', { ...memoryPlatform(values, keys).platform, random: platform.random, openStore }),
      );
    const [a, b] = [open(), open()];
    const text = 'x'.repeat(1000);
    const all = (more: number) =>
      Array.from({ length: 500 }, (_, n) => ({ _id: `d${n}`, n: n + more, text }));
    await a.bulk(all(0));
    // The archive of the newest commit is small, so tab b reads the others only later.
    await a.put({ _id: 'last' });
    await a.head();
    await b.ready();
    const before = [...values.keys()].filter((key) => key.startsWith('car/'));
    let runs = 0;
    const n = await b.transact(async (t) => {
      runs += 1;
      if (runs === 1) {
        await a.bulk(all(1));
        for (const key of before) values.delete(key);
      }
      return (await t.get<Counter>('d400')).n;
    });
    expect([runs, n]).toEqual([2, 401]);
  });

  test('writes nothing if the function throws, and rejects with its error', async () => {
    const db = one();
    await db.put({ _id: 'a', n: 1 });
    const head = await db.head();
    const failing = db.transact(async (tx) => {
      tx.put({ _id: 'a', n: 2 });
      throw new RangeError('mine');
    });
    await expect(failing).rejects.toThrow(new RangeError('mine'));
    await expect(db.transact((tx) => tx.put({ _id: 'b', f: () => 1 }))).rejects.toEqual(code('DOC_INVALID'));
    expect(await db.transact(async (tx) => (await tx.get<Counter>('a')).n)).toBe(1);
    expect(await db.head()).toEqual(head);
  });

  test('gives up if its reads change each time', async () => {
    const db = one();
    let runs = 0;
    const endless = db.transact(async (tx) => {
      runs += 1;
      await tx.get('a').catch(() => undefined);
      await db.put({ _id: 'a', runs });
      tx.put({ _id: 'a', mine: true });
    });
    await expect(endless).rejects.toEqual(code('CONFLICT'));
    expect([runs, await db.get('a')]).toEqual([100, { _id: 'a', runs: 100 }]);
  });

  test('rejects uses after its end', async () => {
    const db = one();
    const tx = await db.transact((transaction) => transaction);
    expect(() => tx.put({ _id: 'a' })).toThrow(code('REQUEST_INVALID'));
    expect(() => tx.del('a')).toThrow(code('REQUEST_INVALID'));
    await expect(tx.get('a')).rejects.toEqual(code('REQUEST_INVALID'));
  });

  test('[R9] keeps the sum of all accounts when two tabs transfer at the same time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1 }), async (seed) => {
        const random = seededRandom(seed);
        const all = tabs(2);
        const names = ['a', 'b', 'c', 'd'];
        await all[0]?.bulk(names.map((_id) => ({ _id, n: 100 })));
        const pick = () => names[(random.bytes(1)[0] as number) % names.length] as string;
        const transfer = (db: Database) => {
          const [from, to, amount] = [pick(), pick(), (random.bytes(1)[0] as number) % 30];
          return db.transact(async (tx) => {
            const before = (await tx.get<Counter>(from)).n;
            tx.put({ _id: from, n: before - amount });
            tx.put({ _id: to, n: (await tx.get<Counter>(to)).n + amount });
          });
        };
        await Promise.all(Array.from({ length: 20 }, (_, at) => transfer(all[at % 2] as Database)));
        for (const db of all) {
          await db.transact(() => undefined);
          const { rows } = await db.allDocs<Counter>();
          expect(rows.reduce((sum, { value }) => sum + (value as Counter).n, 0)).toBe(400);
        }
      }),
      { numRuns: 10 },
    );
  });
});
